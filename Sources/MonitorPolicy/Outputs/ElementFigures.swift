/// Figures of one element in one window of time, for outputs.
public struct ElementFigures: Sendable, Equatable {
    /// Time that the window covers.
    public var length: Duration
    /// Number of frames that entered.
    public var framesIn: UInt64
    /// Number of frames that left.
    public var framesOut: UInt64
    /// Number of frames that entered and did not leave; nil if this number is unknown.
    public var dropped: UInt64?
    /// Frames per second in the time in which frames were expected; nil if none were expected.
    public var rate: Double?
    /// Latencies of frames from entry to exit of the element.
    public var latency: LatencyFigures
    /// Ages of frames: the time from the source until a frame leaves the element, or until it enters a sink.
    public var age: LatencyFigures
    /// Share of the time in which pushes were blocked downstream.
    public var blocked: Double?
    /// Share of the time spent on frames that entered, without pushes downstream; nil if not measured.
    public var own: Double?

    /// Share of the frames that left only after a later frame had entered; nil if no frame left.
    public var held: Double?

    /// Computes the figures of a window.
    init(_ window: WindowFigures) {
        length = window.length
        framesIn = window.framesIn
        framesOut = window.framesOut
        dropped = window.dropped
        rate = window.rate
        latency = LatencyFigures(window.latency)
        age = LatencyFigures(window.age)
        blocked = window.blockedShare
        own = window.ownShare
        held = window.framesOut > 0 ? Double(window.held) / Double(window.framesOut) : nil
    }
}
