import Durations

/// Latency of a pipeline according to LATENCY events.
///
/// After a flush, sinks preroll one after the other. Until all are ready, the reported latency may be too low.
public struct PipelineLatency: Sendable {
    /// Time for which a lower latency must last before it applies to a playing stream.
    static let confirmation = Duration.seconds(2)

    /// The applied latency.
    public private(set) var value = Duration.zero
    private var lower: (value: Duration, since: Duration)?

    /// Creates a latency of zero.
    public init() {}

    /// Handles the latency of an event; `isPlaying` is true if data of the stream was pushed.
    public mutating func arrived(_ latency: Duration, now: Duration, isPlaying: Bool) {
        if isPlaying, latency < value {
            lower = (latency, lower?.since ?? now)
        } else {
            (value, lower) = (latency, nil)
        }
    }

    /// Applies a lower latency that has lasted long enough.
    public mutating func advance(to now: Duration) {
        guard let lower, now >= lower.since + Self.confirmation else { return }
        (value, self.lower) = (lower.value, nil)
    }
}
