import CProcessor
import Glibc

/// A lock with conditions to wait for.
///
/// A leaf: while one is held, nothing is pushed, posted, queried, freed or logged, and no other lock is taken. So any
/// thread may take it, whatever it holds. The corresponding C types are `pthread_mutex_t` and `pthread_cond_t`.
@safe public final class Gate: @unchecked Sendable {  // All mutable state is guarded by `mutex`.
    // A pthread mutex must not move in memory.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let conditions: UnsafeMutablePointer<pthread_cond_t>
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
        unsafe conditions = .allocate(capacity: count)
        unsafe waits = .allocate(capacity: count)
        unsafe waits.initialize(repeating: Waits(), count: count)
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        unsafe pthread_condattr_init(&attributes)
        unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        for index in 0..<count {
            unsafe (conditions + index).initialize(to: pthread_cond_t())
            unsafe pthread_cond_init(conditions + index, &attributes)
        }
        unsafe pthread_condattr_destroy(&attributes)
    }

    deinit {
        for index in 0..<count { unsafe pthread_cond_destroy(conditions + index) }
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
        unsafe conditions.deallocate()
        unsafe waits.deallocate()
    }

    /// Spins for a moment before it sleeps, because a leaf is held for nanoseconds.
    @inline(__always)
    public func lock() {
        if unsafe pthread_mutex_trylock(mutex) != 0 { lockSlowly() }
    }

    @inline(never)
    private func lockSlowly() {
        // The pauses double, so that two threads do not exchange the cache line all the time.
        var pauses = 16
        while pauses <= 128 {
            for _ in 0..<pauses { cprocessor_pause() }
            if unsafe pthread_mutex_trylock(mutex) == 0 { return }
            pauses *= 2
        }
        unsafe pthread_mutex_lock(mutex)
    }

    /// Gives the lock back, and then wakes the threads that were called: they need the lock at once.
    public func unlock() {
        guard hasCalls else {
            unsafe pthread_mutex_unlock(mutex)
            return
        }
        hasCalls = false
        var called: UInt64 = 0
        for index in 0..<count where unsafe waits[index].isCalled {
            unsafe waits[index].isCalled = false
            called |= 1 << UInt64(index)
        }
        unsafe pthread_mutex_unlock(mutex)
        for index in 0..<count where called & (1 << UInt64(index)) != 0 {
            unsafe pthread_cond_broadcast(conditions + index)
        }
    }

    /// Wakes all threads that wait for `condition`, as soon as the lock is given back; under the lock.
    public func wake(_ condition: Int) {
        guard condition < count, unsafe waits[condition].waiting > 0 else { return }
        unsafe waits[condition].waiting = 0
        unsafe waits[condition].call &+= 1
        unsafe waits[condition].isCalled = true
        hasCalls = true
    }

    /// Wakes all threads that wait for any condition; under the lock.
    public func wakeAll() {
        for index in 0..<count { wake(index) }
    }

    /// Gives the lock away until woken, or until `MonotonicClock.now` has reached `deadline`; under the lock.
    ///
    /// It may also return for no reason: test the condition again.
    public func wait(_ condition: Int, until deadline: Duration?) {
        guard condition < count else { return }
        callNow()
        let call = unsafe waits[condition].call
        unsafe waits[condition].waiting += 1
        if let deadline {
            if deadline <= MonotonicClock.now {
                // The wait returns at once; another thread must be able to take the mutex.
                unsafe pthread_mutex_unlock(mutex)
                sched_yield()
                unsafe pthread_mutex_lock(mutex)
            } else {
                var time = MonotonicClock.time(deadline)
                unsafe pthread_cond_timedwait(conditions + condition, mutex, &time)
            }
        } else {
            unsafe pthread_cond_wait(conditions + condition, mutex)
        }
        // A thread that was woken is not counted any more.
        if unsafe waits[condition].call == call { unsafe waits[condition].waiting -= 1 }
    }

    private func callNow() {
        guard hasCalls else { return }
        hasCalls = false
        for index in 0..<count where unsafe waits[index].isCalled {
            unsafe waits[index].isCalled = false
            unsafe pthread_cond_broadcast(conditions + index)
        }
    }
}
