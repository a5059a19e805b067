import CGStreamer
import Durations

extension Duration {
    /// Converts a clock time; nil for `GST_CLOCK_TIME_NONE`.
    init?(_ time: GstClockTime) {
        guard let time = valid(time) else { return nil }
        self.init(nanoseconds: time)
    }

    /// The time multiplied by `fraction`, in whole nanoseconds, rounded toward 0 and clamped to 292 years.
    ///
    /// A fraction with the denominator 0 changes nothing. The corresponding C function is `gst_util_uint64_scale_int`.
    public func scaled(by fraction: Structure.Fraction) -> Duration {
        guard fraction.denominator != 0 else { return self }
        let product = Int128(Int64(nanosecondsOf: self)) * Int128(fraction.numerator)
        return Duration(nanoseconds: Int64(clamping: product / Int128(fraction.denominator)))
    }
}

extension GstClockTime {
    /// Converts a time; nil gives `GST_CLOCK_TIME_NONE`, and a negative time gives 0.
    init(_ time: Duration?) { self = time.map { GstClockTime(UInt64(nanosecondsOf: $0)) } ?? .max }
}
