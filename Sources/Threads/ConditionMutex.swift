import CProcessor
import Glibc

/// A mutex with condition variables.
///
/// It is a leaf lock: while it is held, no other lock is taken, and nothing is pushed, posted, queried, freed or
/// logged. A thread may therefore lock it while holding any other lock. The corresponding C types are `pthread_mutex_t`
/// and `pthread_cond_t`.
@safe public final class ConditionMutex: @unchecked Sendable {  // All mutable state is guarded by `mutex`.
    // A pthread mutex must not move in memory.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let conditions: UnsafeMutablePointer<pthread_cond_t>
    private let waits: UnsafeMutablePointer<Waits>
    private let count: Int
    /// Whether `unlock` must broadcast a condition.
    private var mustBroadcast = false

    /// The threads that wait for a condition.
    ///
    /// They are counted, so that no broadcast is sent if no thread waits, and only one for several wake-ups.
    private struct Waits {
        var waiting = 0
        var isWoken = false
        /// Increased by each wake-up.
        var generation: UInt64 = 0
    }

    /// A mutex with `count` condition variables, at most 64, numbered from 0.
    public init(conditions count: Int) {
        precondition(count <= 64, "at most 64 conditions")
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

    /// Locks the mutex; spins briefly before it sleeps, because a leaf lock is held for nanoseconds.
    @inline(__always)
    public func lock() {
        if unsafe pthread_mutex_trylock(mutex) != 0 { lockSlowly() }
    }

    @inline(never)
    private func lockSlowly() {
        // The pauses double to reduce contention for the cache line.
        var pauses = 16
        while pauses <= 128 {
            for _ in 0..<pauses { cprocessor_pause() }
            if unsafe pthread_mutex_trylock(mutex) == 0 { return }
            pauses *= 2
        }
        unsafe pthread_mutex_lock(mutex)
    }

    /// Unlocks the mutex, then wakes the threads: woken threads lock it immediately.
    public func unlock() {
        guard mustBroadcast else {
            unsafe pthread_mutex_unlock(mutex)
            return
        }
        mustBroadcast = false
        var woken: UInt64 = 0
        for index in 0..<count where unsafe waits[index].isWoken {
            unsafe waits[index].isWoken = false
            woken |= 1 << UInt64(index)
        }
        unsafe pthread_mutex_unlock(mutex)
        for index in 0..<count where woken & (1 << UInt64(index)) != 0 {
            unsafe pthread_cond_broadcast(conditions + index)
        }
    }

    /// Wakes all threads that wait for `condition` when the mutex is unlocked.
    ///
    /// Call it with the mutex locked.
    public func wake(_ condition: Int) {
        guard condition < count, unsafe waits[condition].waiting > 0 else { return }
        unsafe waits[condition].waiting = 0
        unsafe waits[condition].generation &+= 1
        unsafe waits[condition].isWoken = true
        mustBroadcast = true
    }

    /// Wakes all threads that wait for any condition.
    ///
    /// Call it with the mutex locked.
    public func wakeAll() {
        for index in 0..<count { wake(index) }
    }

    /// Unlocks the mutex while it waits until woken, or until `MonotonicClock.now` reaches `deadline`.
    ///
    /// Call it with the mutex locked. Spurious wake-ups occur, so test the condition again.
    public func wait(_ condition: Int, until deadline: Duration?) {
        guard condition < count else { return }
        broadcastNow()
        let generation = unsafe waits[condition].generation
        unsafe waits[condition].waiting += 1
        if let deadline {
            if deadline <= MonotonicClock.now {
                // The deadline has passed, so the mutex is only yielded to another thread.
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
        // `wake` has reset the count if it woke this thread.
        if unsafe waits[condition].generation == generation { unsafe waits[condition].waiting -= 1 }
    }

    private func broadcastNow() {
        guard mustBroadcast else { return }
        mustBroadcast = false
        for index in 0..<count where unsafe waits[index].isWoken {
            unsafe waits[index].isWoken = false
            unsafe pthread_cond_broadcast(conditions + index)
        }
    }
}
