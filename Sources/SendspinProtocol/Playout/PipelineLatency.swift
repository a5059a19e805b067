import Durations

/// Latency of a pipeline, as LATENCY events report it to the source.
///
/// After a flush, sinks preroll one after the other. The events leave out a sink that is not ready, and report too little
/// until it is.
public struct PipelineLatency: Sendable {
    /// Time after which a lower latency of a stream that plays counts.
    static let confirmation = Duration.seconds(2)

    /// The latency that counts.
    public private(set) var value = Duration.zero
    private var lower: (value: Duration, since: Duration)?

    /// A pipeline that has reported no latency.
    public init() {}

    /// Takes the latency of an event at `now`; `isPlaying` if data of the stream was pushed.
    public mutating func arrived(_ latency: Duration, now: Duration, isPlaying: Bool) {
        if isPlaying, latency < value {
            lower = (latency, lower?.since ?? now)
        } else {
            (value, lower) = (latency, nil)
        }
    }

    /// Makes a lower latency count when it has lasted long enough.
    public mutating func advance(to now: Duration) {
        guard let lower, now >= lower.since + Self.confirmation else { return }
        (value, self.lower) = (lower.value, nil)
    }
}
