import CGStreamer

/// Threads beside the stream.
public enum Background {
    /// Runs `body` on a thread of its own, which is not joined; false when no thread can be created.
    public static func start(_ name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
        let task = Unmanaged.passRetained(Task(body))
        let run: GThreadFunc = { data in
            guard let data else { return nil }
            Unmanaged<Task>.fromOpaque(data).takeRetainedValue().body()
            return nil
        }
        var failure: UnsafeMutablePointer<GError>?
        guard let thread = g_thread_try_new(name, run, task.toOpaque(), &failure) else {
            g_clear_error(&failure)
            task.release()
            return false
        }
        g_thread_unref(thread)
        return true
    }

    /// Tells this thread from others; never followed.
    public static var currentThread: UInt { UInt(bitPattern: g_thread_self()) }

    private final class Task: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
}

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
    public func sleep(nanoseconds: UInt64) -> Bool {
        let deadline = Monotonic.now + .nanoseconds(nanoseconds)
        return monitor.await { state in
            guard !state.isOver, !state.isRung, Monotonic.now < deadline else {
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
