/// A sleep that another thread can end.
public final class Alarm: Sendable {
    private struct State {
        var isOver = false
        var isRung = false
    }

    private let monitor = Monitor(State(), conditions: 1)

    /// Nothing has rung.
    public init() {}

    /// Sleeps until the time is over, or `wake` or `end` is called; false after `end`.
    @discardableResult
    public func sleep(for time: Duration) -> Bool {
        // A time of centuries does not fit into a timespec.
        let deadline = MonotonicClock.now + min(time, .seconds(1 << 31))
        return monitor.await { state in
            guard !state.isOver, !state.isRung, MonotonicClock.now < deadline else {
                state.isRung = false
                return .done(!state.isOver)
            }
            return .wait(0, until: deadline)
        }
    }

    /// Ends the current sleep, or else the next one.
    public func wake() {
        monitor.change { state in
            state.isRung = true
            monitor.gate.wake(0)
        }
    }

    /// Ends the current sleep and every later one.
    public func end() {
        monitor.change { state in
            state.isOver = true
            monitor.gate.wake(0)
        }
    }
}
