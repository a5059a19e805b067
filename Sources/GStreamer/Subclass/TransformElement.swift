/// An element with one input and one output, through which frames pass as they are.
///
/// GStreamer calls from several threads, but `GstBaseTransform` lets only one of them at a time into the `mutating`
/// methods, so a conforming type needs no lock.
///
/// The corresponding C class is `GstBaseTransform`, in passthrough.
public protocol TransformElement: ElementDescription, ~Copyable {

    init(host: ElementHost)

    /// Called on the way from READY to PAUSED; a throw is posted on the bus and makes the state change fail.
    mutating func start(_ settings: LiveSettings<Settings>) throws(ElementError)

    /// Called when the stream's caps are agreed, and again when they change.
    mutating func configure(_ caps: Caps) throws(FlowError)

    /// Called when upstream asks how to make its buffers, once downstream has answered, or has refused to.
    ///
    /// Returns whether the element has an answer of its own: without any, upstream hears that there is none.
    mutating func allocationAsked(_ query: borrowing AllocationQuery) -> Bool

    /// Called for each frame. Must not allocate or lock for long.
    mutating func process(_ frame: borrowing PassingBuffer) throws(FlowError) -> PassingVerdict

    /// Called when the stream has ended.
    mutating func stop()

    /// Called from any thread, even while `process` runs, when the stream begins or ceases to flush, stops or starts:
    /// what waits must give up, or may wait again.
    static func flush(_ isFlushing: Bool, _ report: Settings.Report)
}

extension TransformElement where Self: ~Copyable {
    public mutating func start(_ settings: LiveSettings<Settings>) throws(ElementError) {}
    public mutating func configure(_ caps: Caps) throws(FlowError) {}
    public mutating func allocationAsked(_ query: borrowing AllocationQuery) -> Bool { false }
    public mutating func process(_ frame: borrowing PassingBuffer) throws(FlowError) -> PassingVerdict { .pass }
    public mutating func stop() {}
    public static func flush(_ isFlushing: Bool, _ report: Settings.Report) {}
}

/// The settings of an element as they stand at any time; any thread may look.
public struct LiveSettings<Settings: ElementSettings>: Sendable {
    private let read: @Sendable () -> Settings

    init(_ store: PropertyStoreOf<Settings>) {
        nonisolated(unsafe) let store = store  // It guards its settings itself.
        read = { store.settings }
    }

    public init(fixed settings: Settings) { read = { settings } }

    public var now: Settings { read() }
}
