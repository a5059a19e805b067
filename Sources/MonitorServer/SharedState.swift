import CSystem
import Glibc
import Threads

/// The state that the owner's threads and the server's thread share.
final class SharedState: Sendable {
    /// A descriptor that becomes readable when the server's thread has something to do.
    let wake: CInt

    private struct State {
        var content: ServerContent
        var isStopping = false
        /// Whether a client follows events: only then a publication wakes the thread.
        var isFollowed = false
    }

    private let state: Mutex<State>

    /// Takes the content of `content` and a descriptor; fails when the system provides none.
    init(_ content: ServerContent) throws(ServerError) {
        wake = csockets_make_wake()
        state = Mutex(State(content: content))
        guard wake >= 0 else { throw .noResources(reason: SystemError.text(errno)) }
    }

    deinit {
        if wake >= 0 { close(wake) }
    }

    /// Changes the content; true if the thread was woken.
    func publish(_ change: (inout ServerContent) -> Void) {
        let isFollowed = state.withLock { state in
            change(&state.content)
            return state.isFollowed
        }
        if isFollowed { csockets_wake(wake) }
    }

    /// Lets the thread end.
    func stop() {
        state.withLock { $0.isStopping = true }
        csockets_wake(wake)
    }

    /// The content; nil once the server stops.
    func content(followed: Bool) -> ServerContent? {
        state.withLock { state in
            state.isFollowed = followed
            return state.isStopping ? nil : state.content
        }
    }

    /// The answer for a path of the newest content.
    func answer(for path: String) -> HTTPResponse? { state.withLock { $0.content }.answer(for: path) }

    /// Makes `wake` unreadable.
    func clearWake() { csockets_clear_wake(wake) }
}
