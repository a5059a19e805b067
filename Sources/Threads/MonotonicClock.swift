import Durations
import Glibc

/// The monotonic clock of the system.
///
/// The corresponding C constant is `CLOCK_MONOTONIC`.
public enum MonotonicClock {
    /// Time since the machine started, without the time in which the machine was suspended.
    public static var now: Duration {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        // The sum cannot overflow, so the overflow checks of `.seconds` and `.nanoseconds` are not needed.
        return Duration(nanoseconds: time.tv_sec &* 1_000_000_000 &+ time.tv_nsec)
    }

    static func time(_ duration: Duration) -> timespec {
        let (seconds, attoseconds) = duration.components
        return timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
    }
}
