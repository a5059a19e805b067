import Durations

/// The latency that a timestamp compensates, according to the `SourceLatency` events.
///
/// A timestamp plus this latency is the running time at which the frame is played.
struct TimestampLatency {
    private var announced: Duration?
    /// Previous latency; nil once a timestamp compensates the new latency.
    private var former: Duration?

    /// The last announced latency; zero if none was announced.
    var newest: Duration { announced ?? .zero }

    mutating func announced(_ latency: Duration) {
        if announced != latency { former = announced }
        announced = latency
    }

    /// The latency of a timestamp; nil if none was announced.
    ///
    /// A decoder may forward the event before an older frame that still has the former latency. `position` is the end
    /// of the previous buffer, a timestamp plus its latency. The latency that places the frame closer to it applies.
    mutating func latency(of pts: Duration, after position: Duration?) -> Duration? {
        guard let announced, let former, let position else { return announced }
        if magnitude(pts + former - position) < magnitude(pts + announced - position) { return former }
        self.former = nil
        return announced
    }
}
