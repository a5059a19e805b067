import Durations

/// Numbers frames by their PTS, so that a frame is the same after a seek as in continuous playback.
public enum FrameNumber {
    /// Number of the frame at `time`; nil without a frame rate, or if the number overflows.
    ///
    /// The number is `floor(floor(n * (t + 100) / d) / 1e9)`. The 100 ns compensate for rounding of the timestamp. See
    /// docs/NTSC.md, "Frame number".
    public static func at(_ time: Duration, rateNumerator: Int, rateDenominator: Int) -> UInt64? {
        guard rateNumerator > 0, rateDenominator > 0 else { return nil }
        let nanoseconds = UInt64(nanosecondsOf: time).addingReportingOverflow(100)
        guard !nanoseconds.overflow else { return nil }
        let product = UInt64(rateNumerator).multipliedFullWidth(by: nanoseconds.partialValue)
        // `dividingFullWidth` traps if the quotient exceeds 64 bits.
        guard product.high < UInt64(rateDenominator) else { return nil }
        return UInt64(rateDenominator).dividingFullWidth(product).quotient / 1_000_000_000
    }
}
