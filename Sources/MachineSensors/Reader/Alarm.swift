import Glibc

/// A sleep that another thread can end.
///
/// The corresponding C type is `pthread_cond_t`, on the monotonic clock.
@safe final class Alarm: @unchecked Sendable {  // `isOver` is guarded by `mutex`.
    // A pthread mutex must not move in memory.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var isOver = false

    init() {
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe condition.initialize(to: pthread_cond_t())
        unsafe pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        unsafe pthread_condattr_init(&attributes)
        unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        unsafe pthread_cond_init(condition, &attributes)
        unsafe pthread_condattr_destroy(&attributes)
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe pthread_mutex_destroy(mutex)
        unsafe condition.deallocate()
        unsafe mutex.deallocate()
    }

    /// Blocks for `time`, or until `end` is called.
    func sleep(for time: Duration) {
        let deadline = SensorClock.time(SensorClock.now + min(time, .seconds(1 << 31)))
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        // ETIMEDOUT, or any other failure, ends the sleep.
        while !isOver,
            unsafe withUnsafePointer(to: deadline, { unsafe pthread_cond_timedwait(condition, mutex, $0) }) == 0
        {}
    }

    /// Ends the current sleep and every later one.
    func end() {
        unsafe pthread_mutex_lock(mutex)
        isOver = true
        unsafe pthread_cond_broadcast(condition)
        unsafe pthread_mutex_unlock(mutex)
    }
}
