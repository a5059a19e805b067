import GStreamer
import Tracing

/// Spans of a pool in a trace.
enum PoolMarks {
    /// Acquire of a buffer.
    static let acquire = TraceSpan("pool.acquire")
    /// Allocation of a buffer by an acquire.
    static let grow = TraceSpan("pool.grow")
    /// Wait of an acquire for a release.
    static let wait = TraceSpan("pool.wait")
    /// Copy of a frame into a buffer of the pool.
    static let copy = TraceSpan("pool.copy")
    /// Time in which upstream fills a buffer: from the acquire until the buffer reaches the element.
    static let fill = TraceSlices("pool.fill")

    /// Identity, in a trace, of a buffer that the element of `host` receives.
    static func frame(_ buffer: borrowing Buffer, _ host: ElementHost) -> TraceFrame {
        TraceFrame(runningTime: host.inputRunningTime(ofPTS: buffer.pts))
    }
}
