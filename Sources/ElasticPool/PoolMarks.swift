import CGStreamer
import GStreamer
import Tracing

/// Marks of a pool in a trace.
enum PoolMarks {
    /// A thread acquires a buffer.
    static let acquire = TraceSpan("pool.acquire")
    /// An acquire makes a buffer.
    static let grow = TraceSpan("pool.grow")
    /// An acquire waits for a release.
    static let wait = TraceSpan("pool.wait")
    /// A frame is copied into a buffer of the pool.
    static let copy = TraceSpan("pool.copy")
    /// Upstream fills a buffer: from its acquire until it reaches the element.
    static let fill = TraceSlices("pool.fill")

    /// A buffer that the element of `host` receives.
    static func frame(_ buffer: UnsafeMutablePointer<GstBuffer>, _ host: ElementHost) -> TraceFrame {
        let pts = UInt64(buffer.pointee.pts)
        return TraceFrame(runningTime: host.inputRunningTime(ofPTS: pts == .max ? nil : .nanoseconds(pts)))
    }
}
