import CSystem
import Glibc
import Sockets
import Threads

/// Ends the waits of the thread that drives a connection or a listener; any thread may call it.
///
/// One waker may serve successive connections of one thread.
public final class Waker: Sendable {
    private struct State {
        var isWoken = false
        var isCancelled = false
    }

    enum Signal {
        case woken
        case cancelled
    }

    /// Readable after `wake` or `cancel`.
    let descriptor: CInt
    private let state = Monitor(State(), conditions: 0)

    /// Creates a waker that is neither woken nor cancelled.
    public init() throws(WebSocketError) {
        descriptor = csockets_make_wake()
        guard descriptor >= 0 else { throw .noResources(reason: SocketFailure().reason) }
    }

    deinit { Glibc.close(descriptor) }

    /// Ends the current wait, or the next one, with `.woken`; it does not interrupt the establishing of a connection.
    public func wake() {
        state.change { $0.isWoken = true }
        csockets_wake(descriptor)
    }

    /// Ends the current wait and all later ones, also while a connection is established or a name is resolved.
    public func cancel() {
        state.change { $0.isCancelled = true }
        csockets_wake(descriptor)
    }

    /// Whether `cancel` was called.
    public var isCancelled: Bool { state.change { $0.isCancelled } }

    /// Returns the reason to end a wait; nil if there is none.
    func take() -> Signal? {
        state.change { state in
            if state.isCancelled { return .cancelled }
            defer { state.isWoken = false }
            return state.isWoken ? .woken : nil
        }
    }

    /// Makes the descriptor unreadable; call `take` afterwards.
    func clear() { csockets_clear_wake(descriptor) }
}
