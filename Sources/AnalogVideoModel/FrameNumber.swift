/// Numbers frames by their time, so that a seek to a moment gives the same picture as playing to it.
public enum FrameNumber {
    /// The number of the frame that is shown at `nanoseconds`, or nil without a frame rate.
    ///
    /// `floor(floor(n * (t + 100) / d) / 1e9)`; the 100 ns compensate a timestamp that was rounded down. See
    /// docs/NTSC.md, "Frame number".
    public static func at(nanoseconds: UInt64, rateNumerator: Int, rateDenominator: Int) -> UInt64? {
        guard rateNumerator > 0, rateDenominator > 0 else { return nil }
        let time = nanoseconds.addingReportingOverflow(100)
        guard !time.overflow else { return nil }
        let product = UInt64(rateNumerator).multipliedFullWidth(by: time.partialValue)
        // A quotient over 64 bits would trap; such a time lies centuries ahead.
        guard product.high < UInt64(rateDenominator) else { return nil }
        return UInt64(rateDenominator).dividingFullWidth(product).quotient / 1_000_000_000
    }
}
