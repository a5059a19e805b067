import CGStreamer

/// The settings of an object: values that GObject properties read and write.
public protocol ElementSettings: Sendable {
    /// State of the running object that read-only properties return.
    ///
    /// All threads share the report, so it is a class with fields that are `Atomic` or protected by a `Mutex`.
    associatedtype Report: Sendable = NoReport

    /// Creates the default settings, which are also the defaults of the properties.
    init()
    /// Flags of properties that are declared without flags; string properties have `anyTime` instead.
    ///
    /// The default is `live`.
    static var defaultFlags: PropertyFlags { get }
    /// The properties, in the order of `gst-inspect-1.0`.
    static var properties: [Property<Self>] { get }
}

extension ElementSettings {
    /// The default is `live`.
    public static var defaultFlags: PropertyFlags { .live }
}

/// The report of an object without reported properties.
public struct NoReport: Sendable {
    /// Creates the only value of the type.
    public init() {}
}

/// Permissions to read, write and animate a property.
///
/// The corresponding C type is `GParamFlags`.
public struct PropertyFlags: OptionSet, Sendable {
    /// The bits of the set.
    public let rawValue: Int
    /// The set with these bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The application may read the property.
    public static let readable = Self(rawValue: 1 << 0)
    /// The application may write the property.
    public static let writable = Self(rawValue: 1 << 1)
    /// GstController may animate the property.
    public static let controllable = Self(rawValue: 1 << 2)
    /// The property may be changed while the element is in READY or NULL.
    public static let mutableReady = Self(rawValue: 1 << 3)
    /// The property may be changed at any time.
    public static let mutablePlaying = Self(rawValue: 1 << 4)

    /// The property is deprecated; another property replaces it.
    public static let deprecated = Self(rawValue: 1 << 5)

    /// The property can only be read.
    public static let readOnly: Self = [.readable]
    /// The property can be read and written at any time, and GstController can animate it.
    public static let live: Self = [.readable, .writable, .mutablePlaying, .controllable]
    /// The property can be read and written at any time, and GstController cannot animate it.
    public static let anyTime: Self = [.readable, .writable, .mutablePlaying]
    /// The property can be read, and can be changed only while the element is in READY or NULL.
    public static let beforeStart: Self = [.readable, .writable, .mutableReady]

    var raw: GParamFlags {
        var bits = GParamFlags(rawValue: 0).rawValue
        if contains(.readable) { bits |= cgst_param_readable().rawValue }
        if contains(.writable) { bits |= cgst_param_writable().rawValue }
        if contains(.controllable) { bits |= cgst_param_controllable().rawValue }
        if contains(.mutableReady) { bits |= cgst_param_mutable_ready().rawValue }
        if contains(.deprecated) { bits |= cgst_param_deprecated().rawValue }
        if contains(.mutablePlaying) { bits |= cgst_param_mutable_playing().rawValue }
        return GParamFlags(rawValue: bits)
    }
}

/// A GObject property.
///
/// `get`, `set` and `reported` are called on the thread that reads or writes the property, `set` with the mutex of the
/// settings locked. The default is the value in `Settings()`, clamped to the range. GObject rejects a number out of
/// range, with a warning. `gst-inspect-1.0` prints the blurb. The corresponding C type is `GParamSpec`.
public struct Property<Settings: ElementSettings>: Sendable {
    /// Key path of a value in the settings.
    public typealias Field<Value> = WritableKeyPath<Settings, Value> & Sendable
    /// A change to the settings, applied with the mutex of the settings locked.
    public typealias Update = @Sendable (inout Settings) -> Void

    /// Result of parsing a value: a change of the settings, and a warning for the user.
    public struct Parsed: Sendable {
        let update: Update
        let warning: ElementError?

        /// A change of the settings, and a warning to post when the change is applied.
        public init(warning: ElementError? = nil, _ update: @escaping Update) {
            self.update = update
            self.warning = warning
        }
    }

    /// The name, such as `max-buffers`.
    public let name: String
    let flags: PropertyFlags
    var isStoredInPresets = true
    /// Properties whose error is cleared when this property is set to a valid value.
    var superseded: [String] = []
    let makeSpec: @Sendable (_ defaults: Settings) -> UnsafeMutablePointer<GParamSpec>?
    let read: @Sendable (Settings, Settings.Report, UnsafeMutablePointer<GValue>) -> Void
    let write: Write
    let differs: @Sendable (Settings, Settings) -> Bool

    enum Write: Sendable {
        case never
        /// Called with the mutex of the settings locked; returns false for an invalid value.
        case store(@Sendable (inout Settings, UnsafePointer<GValue>) -> Bool)
        /// Called with the mutex unlocked, on the thread that sets the property.
        case parse(@Sendable (UnsafePointer<GValue>) throws(ElementError) -> Parsed)
    }

    /// A copy of the property; presets omit the property if `isStored` is false.
    public func storedInPresets(_ isStored: Bool) -> Self {
        var copy = self
        copy.isStoredInPresets = isStored
        return copy
    }

    /// A copy of a property with `parse` that clears the errors of `others` when it is set to a valid value.
    public func superseding(_ others: String...) -> Self {
        var copy = self
        copy.superseded = others
        return copy
    }

    var goesIntoPresets: Bool { isStoredInPresets && flags.isSuperset(of: [.readable, .writable]) }
}

/// Conversion between a Swift value and a `GValue`.
struct ValueCoding<Value: Equatable & Sendable>: Sendable {
    let put: @Sendable (UnsafeMutablePointer<GValue>, Value) -> Void
    /// Returns nil for NaN, which a GParamSpec does not reject.
    let take: @Sendable (UnsafePointer<GValue>) -> Value?
}

extension Property {
    /// A property whose value is part of the settings.
    static func stored<Value>(
        _ name: String, _ flags: PropertyFlags, as coding: ValueCoding<Value>,
        get: @escaping @Sendable (Settings) -> Value, set: @escaping @Sendable (inout Settings, Value) -> Void,
        spec: @escaping @Sendable (Value, GParamFlags) -> UnsafeMutablePointer<GParamSpec>?
    ) -> Self {
        Self(
            name: name, flags: flags,
            makeSpec: { spec(get($0), flags.raw) },
            read: { settings, _, value in coding.put(value, get(settings)) },
            write: flags.contains(.writable)
                ? .store { settings, value in
                    guard let new = coding.take(value) else { return false }
                    set(&settings, new)
                    return true
                } : .never,
            differs: { get($0) != get($1) })
    }

    /// A read-only property whose value is part of the report.
    static func reported<Value>(
        _ name: String, as coding: ValueCoding<Value>, get: @escaping @Sendable (Settings.Report) -> Value,
        spec: @escaping @Sendable (GParamFlags) -> UnsafeMutablePointer<GParamSpec>?
    ) -> Self {
        Self(
            name: name, flags: .readOnly,
            makeSpec: { _ in spec(PropertyFlags.readOnly.raw) },
            read: { _, report, value in coding.put(value, get(report)) },
            write: .never, differs: { _, _ in false })
    }
}

/// Clamps a default to the range of its property; GLib rejects a property with a default out of range.
func clamped<Value: Comparable>(_ value: Value, to range: ClosedRange<Value>) -> Value {
    min(max(value, range.lowerBound), range.upperBound)
}
