import Tracing

/// Marks of a pool in a trace.
enum PoolMarks {
    /// A thread acquires a buffer.
    static let acquire = TraceSpan("pool.acquire")
    /// An acquire makes a buffer.
    static let grow = TraceSpan("pool.grow")
    /// An acquire waits for a release.
    static let wait = TraceSpan("pool.wait")
}
