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

extension QueuedFrame {
    /// The frame in a trace.
    var traced: TraceFrame { startsAt.map { TraceFrame(runningTime: UInt64(nanosecondsOf: $0)) } ?? .none }
}
