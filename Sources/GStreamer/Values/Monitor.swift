import CGStreamer

/// A lock with conditions to wait for.
///
/// A leaf: while one is held, nothing is pushed, posted, queried, freed or logged, and no other lock is taken. So any
/// thread may take it, whatever it holds. The corresponding C types are `GMutex` and `GCond`.
public final class Gate: @unchecked Sendable {  // GLib's locks are made for many threads; the rest is under `mutex`.
    // GLib's locks must not move in memory.
    private let mutex = UnsafeMutablePointer<GMutex>.allocate(capacity: 1)
    private let conditions: UnsafeMutablePointer<GCond>
    /// How many threads wait for each condition: a wake-up that nobody waits for costs nothing.
    private let waiting: UnsafeMutablePointer<Int>
    private let count: Int

    public init(conditions count: Int) {
        self.count = count
        conditions = .allocate(capacity: count)
        waiting = .allocate(capacity: count)
        waiting.initialize(repeating: 0, count: count)
        g_mutex_init(mutex)
        for index in 0..<count { g_cond_init(conditions + index) }
    }

    deinit {
        g_mutex_clear(mutex)
        for index in 0..<count { g_cond_clear(conditions + index) }
        mutex.deallocate()
        conditions.deallocate()
        waiting.deallocate()
    }

    public func lock() { g_mutex_lock(mutex) }
    public func unlock() { g_mutex_unlock(mutex) }

    /// Wakes all who wait for `condition`; under the lock.
    public func wake(_ condition: Int) {
        if condition < count, waiting[condition] > 0 { g_cond_broadcast(conditions + condition) }
    }

    /// Wakes all who wait for anything; under the lock.
    public func wakeAll() {
        for index in 0..<count { wake(index) }
    }

    /// Gives the lock away until woken, or until `Monotonic.now` has reached `deadline`; under the lock.
    ///
    /// It may also come back for no reason: look again at what was waited for.
    public func wait(_ condition: Int, until deadline: UInt64?) {
        guard condition < count else { return }
        waiting[condition] += 1
        if let deadline {
            let microseconds = min(deadline / 1000 + 1, UInt64(gint64.max))
            _ = g_cond_wait_until(conditions + condition, mutex, gint64(microseconds))
        } else {
            g_cond_wait(conditions + condition, mutex)
        }
        waiting[condition] -= 1
    }
}

/// A value that several threads share, and wait for changes of.
public final class Monitor<State: ~Copyable>: @unchecked Sendable {  // The state is touched under the gate alone.
    /// What a look at the state leads to.
    public enum Step<Result: ~Copyable>: ~Copyable {
        case done(Result)
        /// Look again when `condition` is woken, or at `until`.
        case wait(_ condition: Int, until: UInt64?)
    }

    public let gate: Gate
    @usableFromInline let state: UnsafeMutablePointer<State>

    public init(_ initial: consuming State, conditions: Int) {
        gate = Gate(conditions: conditions)
        state = .allocate(capacity: 1)
        state.initialize(to: initial)
    }

    deinit {
        state.deinitialize(count: 1)
        state.deallocate()
    }

    /// Looks at the state, and changes it, under the lock.
    @inlinable
    public func change<Result: ~Copyable>(_ body: (inout State) -> Result) -> Result {
        gate.lock()
        defer { gate.unlock() }
        return body(&state.pointee)
    }

    /// Looks at the state under the lock, again after each wait, until `body` is done.
    @inlinable
    public func await<Result: ~Copyable>(_ body: (inout State) -> Step<Result>) -> Result {
        gate.lock()
        while true {
            switch body(&state.pointee) {
            case .done(let result):
                gate.unlock()
                return result
            case .wait(let condition, let deadline):
                gate.wait(condition, until: deadline)
            }
        }
    }
}

/// The clock that never jumps, in nanoseconds.
///
/// The corresponding C function is `gst_util_get_timestamp`.
public enum Monotonic {
    public static var now: UInt64 { UInt64(gst_util_get_timestamp()) }
}
