import CGStreamer
import Glibc
import Threads

/// Calls closures at SIGINT (Ctrl-C) or SIGTERM, and then lets the next such signal have its former effect.
enum Interrupts {
    struct State {
        var lastID = 0
        /// The closures, each of which waits for the next signal.
        var actions: [Int: @Sendable () -> Void] = [:]
        /// The dispositions to restore; empty if they are in effect.
        fileprivate var former: [(signal: CInt, action: sigaction)] = []

        fileprivate mutating func takeSignals() {
            guard former.isEmpty else { return }
            var action = sigaction()
            // A signal handler may call `sem_post`. `thread` has initialized the semaphore.
            action.__sigaction_handler.sa_handler = { _ in sem_post(Interrupts.arrived) }
            action.sa_flags = SA_RESTART
            former = [SIGINT, SIGTERM].map { signal in
                var former = sigaction()
                sigaction(signal, &action, &former)
                return (signal, former)
            }
        }

        fileprivate mutating func restoreSignals() {
            for (signal, var action) in former { sigaction(signal, &action, nil) }
            former = []
        }
    }

    static let state = ProcessMutex(State())

    /// Calls `action` on another thread at the next signal; `end` with the result ends the wait.
    static func begin(_ action: @escaping @Sendable () -> Void) -> Int {
        let hasThread = thread
        return state.withLock { state in
            state.lastID += 1
            state.actions[state.lastID] = action
            if hasThread { state.takeSignals() }
            return state.lastID
        }
    }

    static func end(_ id: Int) {
        state.withLock { state in
            state.actions[id] = nil
            if state.actions.isEmpty { state.restoreSignals() }
        }
    }

    /// Counts the signals that `thread` has not received; a semaphore is thread-safe.
    nonisolated(unsafe) private static let arrived: UnsafeMutablePointer<sem_t> = {
        let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
        sem_init(semaphore, 0, 0)
        return semaphore
    }()

    /// Whether the thread runs that receives the signals until the process ends.
    ///
    /// A forked child does not have it, so there the signals have their former effect.
    private static let thread: Bool = {
        _ = arrived
        // The child does not call a function of the runtime for the first time.
        state.withLock { $0.restoreSignals() }
        // The handler that unlocks a `ProcessMutex` was registered before, and is called first.
        pthread_atfork(nil, nil) { state.withLock { $0.restoreSignals() } }
        let thread = g_thread_try_new(
            "interrupts",
            { _ in
                while true {
                    // An EINTR repeats the wait.
                    guard sem_wait(arrived) == 0 else { continue }
                    let actions = state.withLock { state in
                        defer { state.actions = [:] }
                        state.restoreSignals()
                        return state.actions.values
                    }
                    for action in actions { action() }
                }
            }, nil, nil)
        thread.map { g_thread_unref($0) }
        return thread != nil
    }()
}
