import Threads

/// Ends the waiting of the thread that drives a connection or a listener; usable from any thread.
///
/// One waker serves all connections that one thread makes, one after another.
public final class Waker: Sendable {
    /// A waker that is neither woken nor cancelled.
    public init() throws(WebSocketError) {}

    /// Ends the current wait with `.woken`, or the next one if the thread does not wait.
    ///
    /// It does not end the establishing of a connection.
    public func wake() {}

    /// Ends the current wait and every later one, also while a connection is established or a name is resolved.
    public func cancel() {}

    /// Whether `cancel` was called.
    public var isCancelled: Bool { false }
}
