import CSystem

/// A mutex with condition variables.
///
/// The mutex is a leaf lock: while it is held, no other lock is taken, and nothing is pushed, posted, queried, freed
/// or logged. So a thread may lock it while it holds any other lock. There are three exceptions. `SourceReceiver`
/// locks the mutex of its report or queue while it holds the mutex of its turn. `SourceQueue` frees buffers to which it
/// has the only reference. `backpressurequeue` and `adaptivepool` begin a span, which may call another tracer.
///
/// A forked child can use the mutex: unlike `pthread_cond_t`, it does not depend on threads that waited in the parent.
/// The corresponding C types are `GMutex` and `GCond`.
@safe public final class ConditionMutex: @unchecked Sendable {  // All mutable state is guarded by `mutex`.
    // A lock must not move in memory.
    private let mutex = UnsafeMutablePointer<CThreadsLock>.allocate(capacity: 1)
    private let waits: UnsafeMutablePointer<Waits>
    private let count: Int
    /// Whether `unlock` must wake threads.
    private var mustBroadcast = false

    /// State of a condition, which prevents repeated broadcasts and broadcasts without a waiting thread.
    private struct Waits {
        var waiting = 0
        var isWoken = false
        /// Increased by each wake-up; the kernel blocks a thread only while the value is unchanged.
        var generation: UInt32 = 0
    }

    /// Creates a mutex with `count` condition variables, at most 64, numbered from 0.
    public init(conditions count: Int) {
        precondition(count <= 64, "at most 64 conditions")
        self.count = count
        unsafe waits = .allocate(capacity: count)
        unsafe waits.initialize(repeating: Waits(), count: count)
        unsafe mutex.initialize(to: CThreadsLock())
    }

    deinit {
        unsafe mutex.deallocate()
        unsafe waits.deallocate()
    }

    /// Locks the mutex; the thread spins briefly before it sleeps, because a leaf lock is held for nanoseconds.
    public func lock() { unsafe cthreads_lock(mutex) }

    /// Unlocks the mutex, and then wakes the threads that `wake` selected, which can lock it immediately.
    public func unlock() {
        guard mustBroadcast else {
            unsafe cthreads_unlock(mutex)
            return
        }
        mustBroadcast = false
        var woken: UInt64 = 0
        for index in 0..<count where unsafe waits[index].isWoken {
            unsafe waits[index].isWoken = false
            woken |= 1 << UInt64(index)
        }
        unsafe cthreads_unlock(mutex)
        for index in 0..<count where woken & (1 << UInt64(index)) != 0 {
            unsafe cthreads_wake_all(&waits[index].generation)
        }
    }

    /// Makes `unlock` wake all threads that wait for `condition`; the mutex must be locked.
    public func wake(_ condition: Int) {
        guard condition < count, unsafe waits[condition].waiting > 0 else { return }
        unsafe waits[condition].waiting = 0
        unsafe waits[condition].generation &+= 1
        unsafe waits[condition].isWoken = true
        mustBroadcast = true
    }

    /// Makes `unlock` wake all threads that wait for any condition; the mutex must be locked.
    public func wakeAll() {
        for index in 0..<count { wake(index) }
    }

    /// Unlocks the mutex until `condition` is woken or `MonotonicClock.now` reaches `deadline`; nil is no deadline.
    ///
    /// The mutex must be locked. Spurious wake-ups occur, so the caller must test its condition again.
    public func wait(_ condition: Int, until deadline: Duration?) {
        guard condition < count else { return }
        broadcastNow()
        let generation = unsafe waits[condition].generation
        unsafe waits[condition].waiting += 1
        unsafe cthreads_unlock(mutex)
        if let deadline {
            var time = MonotonicClock.time(deadline)
            unsafe cthreads_wait(&waits[condition].generation, generation, &time)
        } else {
            unsafe cthreads_wait(&waits[condition].generation, generation, nil)
        }
        unsafe cthreads_lock(mutex)
        // If the generation has changed, `wake` has already set the count to 0.
        if unsafe waits[condition].generation == generation { unsafe waits[condition].waiting -= 1 }
    }

    private func broadcastNow() {
        guard mustBroadcast else { return }
        mustBroadcast = false
        for index in 0..<count where unsafe waits[index].isWoken {
            unsafe waits[index].isWoken = false
            unsafe cthreads_wake_all(&waits[index].generation)
        }
    }
}
