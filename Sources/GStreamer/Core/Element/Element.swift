/// An element of a pipeline.
///
/// GStreamer calls an element on several threads. The base class serializes the `mutating` methods, so a conforming
/// type may be a `struct` without a lock. An element whose methods may be called concurrently, such as one that manages
/// its own pads, is a `ConcurrentElement`.
///
/// The corresponding C class is `GstElement`.
public protocol Element: Object, ~Copyable {
    /// The name used in `gst-launch-1.0`.
    static var factoryName: String { get }
    /// The description that `gst-inspect-1.0` prints.
    static var metadata: ElementMetadata { get }
    /// The pads that the element has or can have.
    static var padTemplates: [PadTemplate] { get }
    /// Rank by which `decodebin` and other autopluggers choose elements.
    static var rank: Rank { get }

    /// The C instance of the element.
    var host: ElementHost { get }

    /// Creates the Swift object of a new C instance, on the thread that creates the instance.
    init(host: ElementHost)

    /// Called in the state change from READY to PAUSED, which fails if the method throws.
    ///
    /// The thrown error is posted on the bus. If the last value of a property was invalid, the error of that property
    /// is posted, and `start` is not called. `stop` is called later unless `start` threw.
    mutating func start(_ settings: LiveSettings<Settings>) throws(ElementError)

    /// Releases the resources of `start`; called in the state change from PAUSED to READY, after the last buffer.
    mutating func stop()

    /// The element as a `ConcurrentElement`; nil if the element does not conform to that protocol.
    static func concurrentView(of element: borrowing Self) -> (any ConcurrentElement)?
}

extension Element where Self: ~Copyable {
    /// The default is no pads.
    public static var padTemplates: [PadTemplate] { [] }
    /// The default is `none`: autopluggers never choose the element.
    public static var rank: Rank { .none }
    /// Does nothing.
    public mutating func start(_ settings: LiveSettings<Settings>) throws(ElementError) {}
    /// Does nothing.
    public mutating func stop() {}
    /// The default is nil.
    public static func concurrentView(of element: borrowing Self) -> (any ConcurrentElement)? { nil }
}

/// Rank by which autopluggers choose elements.
///
/// The corresponding C type is `GstRank`.
public struct Rank: RawRepresentable, Sendable {
    /// The number that GStreamer compares.
    public let rawValue: UInt32

    /// A rank with any number, such as a number between two named ranks.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Autopluggers never choose the element.
    public static let none = Self(rawValue: 0)
    /// Autopluggers choose the element if no primary element fits.
    public static let secondary = Self(rawValue: 128)
    /// Autopluggers choose the element before elements of a lower rank.
    public static let primary = Self(rawValue: 256)
}

/// Access to the current settings of an object, on any thread.
public struct LiveSettings<Settings: ElementSettings>: Sendable {
    private let read: @Sendable () -> Settings

    init(_ store: PropertyStoreOf<Settings>) {
        nonisolated(unsafe) let store = store  // The store has a mutex.
        read = { store.settings }
    }

    /// Settings that never change.
    public init(fixed settings: Settings) { read = { settings } }

    /// A copy of the settings.
    public var now: Settings { read() }
}
