import CSystem
import Glibc
import Sockets
import Threads

/// State that the threads of the owner share with the thread of the server.
final class SharedState: Sendable {
    /// Descriptor that becomes readable when the thread of the server must run.
    let wake: CInt

    private struct State {
        var content: ServerContent
        var isStopping = false
        /// Whether a client receives events: only then `publish` wakes the thread.
        var isFollowed = false
    }

    private let state: Mutex<State>

    /// Creates a state; throws if the system provides no descriptor.
    init(_ content: ServerContent) throws(ServerError) {
        wake = csockets_make_wake()
        state = Mutex(State(content: content))
        guard wake >= 0 else { throw .noResources(reason: SocketFailure().reason) }
    }

    deinit {
        if wake >= 0 { close(wake) }
    }

    /// Changes the content, and wakes the thread if a client receives events.
    func publish(_ change: (inout ServerContent) -> Void) {
        let isFollowed = state.withLock { state in
            change(&state.content)
            return state.isFollowed
        }
        if isFollowed { csockets_wake(wake) }
    }

    /// Ends the thread of the server.
    func stop() {
        state.withLock { $0.isStopping = true }
        csockets_wake(wake)
    }

    /// Returns the content; nil after `stop`.
    func content(followed: Bool) -> ServerContent? {
        state.withLock { state in
            state.isFollowed = followed
            return state.isStopping ? nil : state.content
        }
    }

    func answer(for path: String) -> HTTPResponse? { state.withLock { $0.content }.answer(for: path) }

    func clearWake() { csockets_clear_wake(wake) }
}
