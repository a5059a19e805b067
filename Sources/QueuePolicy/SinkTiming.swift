import Durations

/// How the sinks downstream of a queue wait for the clock.
public struct SinkTiming: Sendable, Equatable {
    /// Whether at least one sink, or another element such as `clocksync`, waits for the clock.
    public var anyKeepsTime = false
    /// Whether all sinks wait for the clock; a sink that does not wait renders each frame on arrival.
    public var allKeepTime = false
    /// Largest offset that a sink adds to the latency (`ts-offset` minus `render-delay`).
    public var offset = Duration.zero
    /// Smallest `max-lateness` of the sinks; nil if no sink drops late frames.
    public var tolerance: Duration?
    /// Whether an element other than a sink, such as `clocksync`, waits for the minimum latency of the LATENCY query.
    public var waitsForAnsweredLatency = false

    /// No sink waits for the clock.
    public static let unsynchronized = SinkTiming()
}
