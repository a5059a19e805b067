import Glibc

/// The clock that never jumps: time since the machine started.
///
/// The corresponding C constant is `CLOCK_MONOTONIC`.
public enum MonotonicClock {
    /// Time since the machine started; time in suspend does not count.
    public static var now: Duration {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    static func time(_ duration: Duration) -> timespec {
        let (seconds, attoseconds) = duration.components
        return timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
    }
}
