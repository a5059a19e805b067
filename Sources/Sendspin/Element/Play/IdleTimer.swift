import Threads

/// Calls a function some time after it was started, unless it is cancelled before.
final class IdleTimer: Sendable {
    private struct State {
        var deadline: Duration?
        var hasEnded = false
    }

    private let state = Monitor(State(), conditions: 1)
    private let worker: Worker?

    /// The function runs on a thread of the timer.
    init(_ name: String, _ expired: @escaping @Sendable () -> Void) {
        let state = state
        worker = Worker.start(name) {
            while Self.waitForExpiry(state) { expired() }
        }
    }

    /// Starts the timer again; the longest time is never over.
    func start(_ time: Duration) {
        change { $0.deadline = time < .seconds(1 << 31) ? MonotonicClock.now + time : nil }
    }

    /// The function is not called until the next start.
    func cancel() { change { $0.deadline = nil } }

    /// Ends the thread, and waits for it unless it calls this.
    func end() {
        change { $0.hasEnded = true }
        worker?.join()
    }

    private func change(_ body: (inout State) -> Void) {
        state.change { now in
            body(&now)
            state.mutex.wake(0)
        }
    }

    /// Returns true when the timer has expired, and false at the end.
    private static func waitForExpiry(_ state: Monitor<State>) -> Bool {
        state.await { now in
            if now.hasEnded { return .done(false) }
            guard let deadline = now.deadline else { return .wait(0, until: nil) }
            guard MonotonicClock.now >= deadline else { return .wait(0, until: deadline) }
            now.deadline = nil
            return .done(true)
        }
    }
}
