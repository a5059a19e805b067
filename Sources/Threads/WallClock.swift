import Glibc

/// The time of day.
///
/// The corresponding C constant is `CLOCK_REALTIME`.
public enum WallClock {
    /// Seconds since 1970.
    public static var seconds: Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Double(time.tv_sec) + (Double(time.tv_nsec) * 1e-9)
    }
}
