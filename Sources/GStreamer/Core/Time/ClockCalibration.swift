import Durations

/// The relation between the internal (uncalibrated) time and the external (calibrated) time of a clock.
///
/// The corresponding C functions are `gst_clock_adjust_with_calibration` and `gst_clock_unadjust_with_calibration`.
public struct ClockCalibration: Sendable, Equatable {
    /// Internal time at which the external time is `time`.
    public var internalTime: Duration
    /// External time at `internalTime`.
    public var time: Duration
    /// Seconds of external time per second of internal time; greater than 0.
    public var rate: Double

    /// Creates a calibration from its parts.
    public init(internalTime: Duration, time: Duration, rate: Double) {
        (self.internalTime, self.time, self.rate) = (internalTime, time, rate)
    }

    /// Converts an internal time to the external time.
    public func time(atInternal internalTime: Duration) -> Duration {
        time + .nanoseconds(scaled(internalTime - self.internalTime, by: rate))
    }

    /// Converts an external time to the internal time.
    public func internalTime(at time: Duration) -> Duration {
        internalTime + .nanoseconds(scaled(time - self.time, by: 1 / rate))
    }

    /// `duration` times `rate`, in nanoseconds.
    ///
    /// Only the deviation from the rate 1 is computed as a `Double`, because a `Double` has only 53 bits.
    private func scaled(_ duration: Duration, by rate: Double) -> Int64 {
        let nanoseconds = Int64(nanosecondsOf: duration)
        return nanoseconds &+ (Int64(exactly: (Double(nanoseconds) * (rate - 1)).rounded()) ?? 0)
    }
}
