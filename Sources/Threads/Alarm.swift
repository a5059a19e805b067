/// A sleep that another thread can end.
public final class Alarm: Sendable {
    private struct State {
        var hasEnded = false
        var isWoken = false
    }

    private let monitor = Monitor(State(), conditions: 1)

    /// Creates an alarm that is neither woken nor ended.
    public init() {}

    /// Sleeps for `time`, or until `wake` or `end` is called; returns false after `end`.
    @discardableResult
    public func sleep(for time: Duration) -> Bool {
        // Larger values would overflow `timespec`.
        let deadline = MonotonicClock.now + min(time, .seconds(1 << 31))
        return monitor.await { state in
            guard !state.hasEnded, !state.isWoken, MonotonicClock.now < deadline else {
                state.isWoken = false
                return .done(!state.hasEnded)
            }
            return .wait(0, until: deadline)
        }
    }

    /// Ends the current sleep, or the next one if no thread sleeps.
    public func wake() {
        monitor.change { state in
            state.isWoken = true
            monitor.mutex.wake(0)
        }
    }

    /// Ends the current sleep and all later ones.
    public func end() {
        monitor.change { state in
            state.hasEnded = true
            monitor.mutex.wake(0)
        }
    }
}
