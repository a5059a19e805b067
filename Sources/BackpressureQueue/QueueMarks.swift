import Durations
import GStreamer
import QueuePolicy
import Tracing

/// Marks of the queue in a trace.
enum QueueMarks {
    /// Upstream waits for room in the queue.
    static let wait = TraceSpan("queue.wait")
    /// Downstream has a frame, or a list of them.
    static let push = TraceSpan("queue.push")
    /// A frame is dropped, or discarded by a flush.
    static let drop = TraceInstant("queue.drop")
}

extension TraceFrame {
    /// The frame with the running time of a PTS; no frame if the PTS is before the segment.
    init(presentedAt time: Duration?) {
        self.init(runningTime: time.flatMap { $0 < .zero ? nil : $0 })
    }
}

extension QueueState {
    /// A frame that has not been enqueued, in a trace.
    func traced(_ facts: BufferFacts) -> TraceFrame {
        TraceFrame(presentedAt: segment.runningTimes(of: facts).presented)
    }
}

extension QueuedFrame {
    /// The frame in a trace.
    var traced: TraceFrame { TraceFrame(presentedAt: presentedAt) }
}
