import Durations
import Glibc

/// CPU time of this process and of its threads.
///
/// The clocks contain what `schedstat` contains, at a twentieth of the cost: 0.3 µs instead of 5 µs for a thread.
enum ProcessorClock {
    /// CPU time of all threads, also of those that have ended.
    ///
    /// The corresponding C constant is `CLOCK_PROCESS_CPUTIME_ID`.
    static func ofProcess() -> Duration? { time(CLOCK_PROCESS_CPUTIME_ID) }

    /// CPU time of a thread of this process; nil if it has ended.
    ///
    /// The corresponding C function is `pthread_getcpuclockid`, which requires a thread that has not ended.
    static func ofThread(_ id: Int32) -> Duration? {
        // CPUCLOCK_PERTHREAD_MASK and CPUCLOCK_SCHED, part of the kernel's interface.
        id > 0 ? time((~id << 3) | 6) : nil
    }

    /// Whether the system provides both clocks.
    static var isAvailable: Bool { ofProcess() != nil && ofThread(getpid()) != nil }

    private static func time(_ clock: clockid_t) -> Duration? {
        var time = timespec()
        guard unsafe clock_gettime(clock, &time) == 0 else { return nil }
        return Duration(nanoseconds: time.tv_sec &* 1_000_000_000 &+ time.tv_nsec)
    }
}
