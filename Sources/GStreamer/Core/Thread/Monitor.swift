import CGStreamer

/// A lock with conditions to wait for.
///
/// A leaf: while one is held, nothing is pushed, posted, queried, freed or logged, and no other lock is taken. So any
/// thread may take it, whatever it holds. The corresponding C types are `GMutex` and `GCond`.
public final class Gate: @unchecked Sendable {  // GLib's locks are made for many threads; the rest is under `mutex`.
    // GLib's locks must not move in memory. All else is under the lock.
    private let mutex = UnsafeMutablePointer<GMutex>.allocate(capacity: 1)
    private let conditions: UnsafeMutablePointer<GCond>
    private let waits: UnsafeMutablePointer<Waits>
    private let count: Int
    /// Has a condition to be broadcast when the lock is given back.
    private var hasCalls = false

    /// The threads that wait for a condition.
    ///
    /// A wake-up without a waiting thread, or a second one, costs nothing.
    private struct Waits {
        var waiting = 0
        var isCalled = false
        /// Grows with each call.
        var call: UInt64 = 0
    }

    /// A lock with `count` conditions, 64 at most, which are numbered from 0.
    public init(conditions count: Int) {
        precondition(count <= 64, "one bit for each")
        self.count = count
        conditions = .allocate(capacity: count)
        waits = .allocate(capacity: count)
        waits.initialize(repeating: Waits(), count: count)
        g_mutex_init(mutex)
        for index in 0..<count { g_cond_init(conditions + index) }
    }

    deinit {
        g_mutex_clear(mutex)
        for index in 0..<count { g_cond_clear(conditions + index) }
        mutex.deallocate()
        conditions.deallocate()
        waits.deallocate()
    }

    /// Spins for a moment before it sleeps, because a leaf is held for nanoseconds.
    @inline(__always)
    public func lock() {
        if g_mutex_trylock(mutex) == 0 { lockSlowly() }
    }

    @inline(never)
    private func lockSlowly() {
        // The pauses double, so that two threads do not exchange the cache line all the time.
        var pauses = 16
        while pauses <= 128 {
            for _ in 0..<pauses { cgst_pause() }
            if g_mutex_trylock(mutex) != 0 { return }
            pauses *= 2
        }
        g_mutex_lock(mutex)
    }

    /// Gives the lock back, and only then wakes who was called: it would have to wait for the lock at once.
    public func unlock() {
        guard hasCalls else { return g_mutex_unlock(mutex) }
        hasCalls = false
        var called: UInt64 = 0
        for index in 0..<count where waits[index].isCalled {
            waits[index].isCalled = false
            called |= 1 << UInt64(index)
        }
        g_mutex_unlock(mutex)
        for index in 0..<count where called & (1 << UInt64(index)) != 0 { g_cond_broadcast(conditions + index) }
    }

    /// Wakes all who wait for `condition`, as soon as the lock is given back; under the lock.
    public func wake(_ condition: Int) {
        guard condition < count, waits[condition].waiting > 0 else { return }
        waits[condition].waiting = 0
        waits[condition].call &+= 1
        waits[condition].isCalled = true
        hasCalls = true
    }

    /// Wakes all who wait for anything; under the lock.
    public func wakeAll() {
        for index in 0..<count { wake(index) }
    }

    /// Gives the lock away until woken, or until `Monotonic.now` has reached `deadline`; under the lock.
    ///
    /// It may also come back for no reason: look again at what was waited for.
    public func wait(_ condition: Int, until deadline: Duration?) {
        guard condition < count else { return }
        callNow()
        let call = waits[condition].call
        waits[condition].waiting += 1
        if let deadline {
            let microseconds = gint64(UInt64(nanosecondsOf: deadline) / 1000) + 1
            if microseconds <= g_get_monotonic_time() {
                // GLib returns at once and keeps the mutex; another thread must be able to take it.
                g_mutex_unlock(mutex)
                g_thread_yield()
                g_mutex_lock(mutex)
            }
            _ = g_cond_wait_until(conditions + condition, mutex, microseconds)
        } else {
            g_cond_wait(conditions + condition, mutex)
        }
        // A thread that was woken is not counted any more.
        if waits[condition].call == call { waits[condition].waiting -= 1 }
    }

    private func callNow() {
        guard hasCalls else { return }
        hasCalls = false
        for index in 0..<count where waits[index].isCalled {
            waits[index].isCalled = false
            g_cond_broadcast(conditions + index)
        }
    }
}

/// A value that several threads share, and wait for changes of.
public final class Monitor<State: ~Copyable>: @unchecked Sendable {  // The state is touched under the gate alone.
    /// The result of a look at the state.
    public enum Step<Result: ~Copyable>: ~Copyable {
        /// The end: `await` returns this.
        case done(Result)
        /// Look again when `condition` is woken, or at `until`.
        case wait(_ condition: Int, until: Duration?)
    }

    /// The lock, with its conditions.
    public let gate: Gate
    @usableFromInline let state: UnsafeMutablePointer<State>

    /// A monitor of `initial`, with conditions numbered from 0.
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

/// The clock that never jumps.
///
/// The corresponding C function is `gst_util_get_timestamp`.
public enum Monotonic {
    /// The time since an unspecified moment.
    public static var now: Duration { Duration(wholeNanoseconds: UInt64(gst_util_get_timestamp())) }
}
