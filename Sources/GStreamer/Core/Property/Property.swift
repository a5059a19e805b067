import CGStreamer

/// The settings of an element: plain values, each shown as one GObject property.
public protocol ElementSettings: Sendable {
    /// State of the running element that read-only properties return.
    ///
    /// Shared by all threads: a class whose fields are `Atomic` or in a `Mutex`.
    associatedtype Report: Sendable = NoReport

    /// Makes the defaults. A property's default is read from here, so it stands in one place.
    init()
    /// The flags of rows that name none, except for texts; `live` unless the element says otherwise.
    static var defaultFlags: PropertyFlags { get }
    /// One row per property, in the order `gst-inspect-1.0` lists them.
    static var properties: [Property<Self>] { get }
}

extension ElementSettings {
    /// Changes at any time, and can be animated.
    public static var defaultFlags: PropertyFlags { .live }
}

/// The report of an element that has nothing to tell.
public struct NoReport: Sendable {
    /// The only value.
    public init() {}
}

/// When a property may be read, written and animated.
///
/// The corresponding C type is `GParamFlags`.
public struct PropertyFlags: OptionSet, Sendable {
    /// The bits of the set.
    public let rawValue: Int
    /// The set with these bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The application may read it.
    public static let readable = Self(rawValue: 1 << 0)
    /// The application may set it.
    public static let writable = Self(rawValue: 1 << 1)
    /// GstController may animate it.
    public static let controllable = Self(rawValue: 1 << 2)
    /// It may change while the element is in READY or below.
    public static let mutableReady = Self(rawValue: 1 << 3)
    /// It may change at any time.
    public static let mutablePlaying = Self(rawValue: 1 << 4)

    /// It is kept for old applications; another property replaces it.
    public static let deprecated = Self(rawValue: 1 << 5)

    /// Never set by the application.
    public static let readOnly: Self = [.readable]
    /// Changes at any time, and can be animated.
    public static let live: Self = [.readable, .writable, .mutablePlaying, .controllable]
    /// Changes at any time, but not by animation.
    public static let anyTime: Self = [.readable, .writable, .mutablePlaying]
    /// Changes only before the element starts.
    public static let beforeStart: Self = [.readable, .writable, .mutableReady]

    var raw: GParamFlags {
        var bits = GParamFlags(rawValue: 0).rawValue
        if contains(.readable) { bits |= G_PARAM_READABLE.rawValue }
        if contains(.writable) { bits |= G_PARAM_WRITABLE.rawValue }
        if contains(.controllable) { bits |= cgst_param_controllable().rawValue }
        if contains(.mutableReady) { bits |= cgst_param_mutable_ready().rawValue }
        if contains(.deprecated) { bits |= G_PARAM_DEPRECATED.rawValue }
        if contains(.mutablePlaying) { bits |= cgst_param_mutable_playing().rawValue }
        return GParamFlags(rawValue: bits)
    }
}

/// One row of an element's property table.
///
/// The corresponding C type is `GParamSpec`.
public struct Property<Settings: ElementSettings>: Sendable {
    /// The place of a value in the settings.
    public typealias Field<Value> = WritableKeyPath<Settings, Value> & Sendable
    /// A change to the settings, worked out by `parse` and applied under their lock.
    public typealias Update = @Sendable (inout Settings) -> Void

    /// The result of parsing a text: a change of the settings, and warnings for the user.
    public struct Parsed: Sendable {
        let update: Update
        let warning: ElementError?

        /// A change, and a warning that is posted when it is applied.
        public init(warning: ElementError? = nil, _ update: @escaping Update) {
            self.update = update
            self.warning = warning
        }
    }

    /// The name, such as `max-buffers`.
    public let name: String
    let flags: PropertyFlags
    var isStoredInPresets = true
    /// The properties whose last failure no longer counts once this one was set to something of use.
    var superseded: [String] = []
    let makeSpec: @Sendable (_ defaults: Settings) -> UnsafeMutablePointer<GParamSpec>?
    let read: @Sendable (Settings, Settings.Report, UnsafeMutablePointer<GValue>) -> Void
    let write: Write
    let differs: @Sendable (Settings, Settings) -> Bool

    enum Write: Sendable {
        case never
        /// Runs under the settings' lock; false when the value is none the property can take.
        case store(@Sendable (inout Settings, UnsafePointer<GValue>) -> Bool)
        /// Runs outside the lock, on the thread that sets the property.
        case parse(@Sendable (UnsafePointer<GValue>) throws(ElementError) -> Parsed)
    }

    /// The same property, which presets leave alone when `isStored` is false.
    public func storedInPresets(_ isStored: Bool) -> Self {
        var copy = self
        copy.isStoredInPresets = isStored
        return copy
    }

    /// The same property, which makes up for a failure of others that set the same things.
    public func superseding(_ others: String...) -> Self {
        var copy = self
        copy.superseded = others
        return copy
    }

    var goesIntoPresets: Bool { isStoredInPresets && flags.isSuperset(of: [.readable, .writable]) }
}

/// How a Swift value travels in a `GValue`.
struct ValueCoding<Value: Equatable & Sendable>: Sendable {
    let put: @Sendable (UnsafeMutablePointer<GValue>, Value) -> Void
    /// Nil for what a property cannot take, though its GParamSpec lets it through: NaN.
    let take: @Sendable (UnsafePointer<GValue>) -> Value?
}

extension Property {
    /// A row whose value stands in the settings.
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

    /// A read-only row whose value is taken from the element's report.
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

/// A value that a property's range has to hold, or GLib would refuse the whole property.
func clamped<Value: Comparable>(_ value: Value, to range: ClosedRange<Value>) -> Value {
    min(max(value, range.lowerBound), range.upperBound)
}
