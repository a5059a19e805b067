import Durations

/// Synchronization of the sinks downstream of a queue.
public struct SinkTiming: Sendable, Equatable {
    /// Whether at least one sink, or another element such as `clocksync`, waits for the clock.
    public var anyKeepsTime: Bool
    /// Whether all sinks wait for the clock, so that no sink renders a late frame on arrival.
    public var allKeepTime: Bool
    /// Largest offset that a sink adds to the latency (`ts-offset` minus `render-delay`).
    public var offset: Duration
    /// Smallest `max-lateness` of the sinks; nil for unlimited.
    public var tolerance: Duration?
    /// Whether an element other than a sink, such as `clocksync`, waits for the minimum latency of the LATENCY query.
    public var waitsForAnsweredLatency: Bool

    /// Creates a timing from its parts; without arguments, no sink waits for the clock.
    public init(
        anyKeepsTime: Bool = false, allKeepTime: Bool = false, waitsForAnsweredLatency: Bool = false,
        offset: Duration = .zero, tolerance: Duration? = nil
    ) {
        (self.anyKeepsTime, self.allKeepTime) = (anyKeepsTime, allKeepTime)
        (self.waitsForAnsweredLatency, self.offset, self.tolerance) = (waitsForAnsweredLatency, offset, tolerance)
    }

    /// Creates the timing for sinks that all wait for the clock, or for sinks that all do not wait.
    public init(keepTime: Bool) { self.init(anyKeepsTime: keepTime, allKeepTime: keepTime) }
}
