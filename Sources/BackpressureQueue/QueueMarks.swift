import Durations
import Tracing

/// Spans and instants of the queue in a trace.
enum QueueMarks {
    /// Wait of upstream for room in the queue.
    static let wait = TraceSpan("queue.wait")
    /// Push of a frame or a list of frames.
    static let push = TraceSpan("queue.push")
    /// Drop of a frame, or its discard by a flush.
    static let drop = TraceInstant("queue.drop")
}

extension TraceFrame {
    /// Creates a frame from the running time of its PTS; equal to `none` if the PTS is before the segment.
    init(presentedAt time: Duration?) {
        self.init(runningTime: time.flatMap { $0 < .zero ? nil : $0 })
    }
}
