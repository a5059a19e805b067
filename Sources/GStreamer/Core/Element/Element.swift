/// An element of a pipeline.
///
/// GStreamer calls from several threads. The `mutating` methods of an element come one at a time, because its base
/// class serializes them: a conforming type may be a `struct` and needs no lock. An element whose methods are called on
/// any thread, such as one with pads of its own, is a `ConcurrentElement`.
///
/// The corresponding C class is `GstElement`.
public protocol Element: Object, ~Copyable {
    /// The name used in `gst-launch-1.0`.
    static var factoryName: String { get }
    /// The description that `gst-inspect-1.0` prints.
    static var metadata: ElementMetadata { get }
    /// The pads that the element has or can have.
    static var padTemplates: [PadTemplate] { get }
    /// How readily `decodebin` and other autopluggers choose the element.
    static var rank: Rank { get }

    /// The C instance that the element belongs to.
    var host: ElementHost { get }

    /// Makes the element of a new C instance, on the thread that makes the instance.
    init(host: ElementHost)

    /// Called on the way from READY to PAUSED. A throw is posted on the bus, and the state change fails.
    ///
    /// It is not called when a property was last set to a value of no use: then that error is posted. `stop` follows
    /// unless it threw.
    mutating func start(_ settings: LiveSettings<Settings>) throws(ElementError)

    /// Called on the way from PAUSED to READY, when no buffer flows any more. Gives back what `start` took.
    mutating func stop()

    /// The element as one whose methods any thread may call; `ConcurrentElement` answers it.
    static func concurrentView(of element: borrowing Self) -> (any ConcurrentElement)?
}

extension Element where Self: ~Copyable {
    /// Without pads.
    public static var padTemplates: [PadTemplate] { [] }
    /// Never chosen automatically.
    public static var rank: Rank { .none }
    /// Does nothing.
    public mutating func start(_ settings: LiveSettings<Settings>) throws(ElementError) {}
    /// Does nothing.
    public mutating func stop() {}
    /// None.
    public static func concurrentView(of element: borrowing Self) -> (any ConcurrentElement)? { nil }
}

/// How readily autopluggers choose an element.
///
/// The corresponding C type is `GstRank`.
public struct Rank: RawRepresentable, Sendable {
    /// The number that GStreamer compares.
    public let rawValue: UInt32

    /// Any number; the named ranks are 64 apart.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Never chosen automatically.
    public static let none = Self(rawValue: 0)
    /// Chosen when no other element fits.
    public static let marginal = Self(rawValue: 64)
    /// Chosen when no primary element fits.
    public static let secondary = Self(rawValue: 128)
    /// Chosen first.
    public static let primary = Self(rawValue: 256)
}

/// The settings of an object as they stand at any time; any thread may read them.
public struct LiveSettings<Settings: ElementSettings>: Sendable {
    private let read: @Sendable () -> Settings

    init(_ store: PropertyStoreOf<Settings>) {
        nonisolated(unsafe) let store = store  // It guards its settings itself.
        read = { store.settings }
    }

    /// Settings that never change.
    public init(fixed settings: Settings) { read = { settings } }

    /// A copy of the settings.
    public var now: Settings { read() }
}
