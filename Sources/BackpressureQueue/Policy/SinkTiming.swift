/// Which sinks behind a queue wait for the time of each frame.
public struct SinkTiming: Sendable, Equatable {
    /// At least one sink, or another element such as `clocksync`, waits for each frame's time.
    public var anyKeepsTime: Bool
    /// No sink shows frames as they come, so that a late frame is of no use to any.
    public var allKeepTime: Bool
    /// The time that the slowest of them adds to the latency (`ts-offset`), in nanoseconds.
    public var offset: UInt64
    /// How late the strictest of them shows a frame (`max-lateness`), in nanoseconds; `.max` for however late.
    public var tolerance: UInt64
    /// One that is no sink, as `clocksync`, waits for the minimum latency that it was answered.
    public var waitsForAnsweredLatency: Bool

    public init(
        anyKeepsTime: Bool = false, allKeepTime: Bool = false, waitsForAnsweredLatency: Bool = false,
        offset: UInt64 = 0, tolerance: UInt64 = .max
    ) {
        (self.anyKeepsTime, self.allKeepTime) = (anyKeepsTime, allKeepTime)
        (self.waitsForAnsweredLatency, self.offset, self.tolerance) = (waitsForAnsweredLatency, offset, tolerance)
    }

    /// All sinks wait, or none does.
    public init(keepTime: Bool) { self.init(anyKeepsTime: keepTime, allKeepTime: keepTime) }
}
