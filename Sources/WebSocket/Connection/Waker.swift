import CSystem
import Glibc
import Threads

/// Ends the waiting of the thread that drives a connection or a listener; usable from any thread.
///
/// One waker serves all connections that one thread makes, one after another.
public final class Waker: Sendable {
    private struct State {
        var isWoken = false
        var isCancelled = false
    }

    /// Reason why a wait ends.
    enum Signal {
        case woken
        case cancelled
    }

    /// Readable after `wake` or `cancel`.
    let descriptor: CInt
    private let state = Monitor(State(), conditions: 0)

    /// A waker that is neither woken nor cancelled.
    public init() throws(WebSocketError) {
        descriptor = csockets_make_wake()
        guard descriptor >= 0 else { throw .noResources(reason: String(cString: strerror(errno))) }
    }

    deinit { Glibc.close(descriptor) }

    /// Ends the current wait with `.woken`, or the next one if the thread does not wait.
    ///
    /// It does not end the establishing of a connection.
    public func wake() {
        state.change { $0.isWoken = true }
        csockets_wake(descriptor)
    }

    /// Ends the current wait and every later one, also while a connection is established or a name is resolved.
    public func cancel() {
        state.change { $0.isCancelled = true }
        csockets_wake(descriptor)
    }

    /// Whether `cancel` was called.
    public var isCancelled: Bool { state.change { $0.isCancelled } }

    /// The reason to end a wait; nil if there is none.
    func take() -> Signal? {
        state.change { state in
            if state.isCancelled { return .cancelled }
            defer { state.isWoken = false }
            return state.isWoken ? .woken : nil
        }
    }

    /// Makes the descriptor unreadable; look at the reasons after it, not before.
    func clear() { csockets_clear_wake(descriptor) }
}
