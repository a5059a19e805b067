import Durations

/// The latency of the pipeline for which the source has set the timestamps, from the `SourceLatency` events.
///
/// A timestamp plus this latency is the running time at which a frame is played.
struct TimestampLatency {
    private var announced: Duration?
    /// The one before, until a timestamp is set for the new one.
    private var former: Duration?

    /// The latency that was announced last; zero if none was.
    var newest: Duration { announced ?? .zero }

    mutating func announced(_ latency: Duration) {
        if announced != latency { former = announced }
        announced = latency
    }

    /// The latency for which a timestamp is set; nil if the source has announced none.
    ///
    /// A decoder passes the event on before a frame that it holds back, whose timestamp is set for the former latency.
    /// That frame continues the stream at `position`, a timestamp plus its latency.
    mutating func latency(of pts: Duration, after position: Duration?) -> Duration? {
        guard let announced, let former, let position else { return announced }
        if magnitude(pts + former - position) < magnitude(pts + announced - position) { return former }
        self.former = nil
        return announced
    }
}
