import Durations

/// Synchronization of the sinks downstream of a queue.
public struct SinkTiming: Sendable, Equatable {
    /// At least one sink, or another element such as `clocksync`, waits for the clock.
    public var anyKeepsTime: Bool
    /// All sinks wait for the clock, so no sink renders a late frame as soon as it arrives.
    public var allKeepTime: Bool
    /// Largest offset that a sink adds to the latency (`ts-offset` minus `render-delay`).
    public var offset: Duration
    /// Smallest `max-lateness` of the sinks; nil for unlimited.
    public var tolerance: Duration?
    /// An element other than a sink, such as `clocksync`, waits for the minimum latency of the LATENCY query.
    public var waitsForAnsweredLatency: Bool

    /// Creates a timing of its parts; without arguments, no sink waits for the clock.
    public init(
        anyKeepsTime: Bool = false, allKeepTime: Bool = false, waitsForAnsweredLatency: Bool = false,
        offset: Duration = .zero, tolerance: Duration? = nil
    ) {
        (self.anyKeepsTime, self.allKeepTime) = (anyKeepsTime, allKeepTime)
        (self.waitsForAnsweredLatency, self.offset, self.tolerance) = (waitsForAnsweredLatency, offset, tolerance)
    }

    /// Either all sinks wait for the clock, or none does.
    public init(keepTime: Bool) { self.init(anyKeepsTime: keepTime, allKeepTime: keepTime) }
}
