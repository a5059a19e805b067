extension Duration {
    /// Creates a duration of whole nanoseconds, over the whole range of `UInt64`.
    public init(nanoseconds: UInt64) {
        self.init(
            secondsComponent: Int64(nanoseconds / 1_000_000_000),
            attosecondsComponent: Int64(nanoseconds % 1_000_000_000) * 1_000_000_000)
    }

    /// The duration in seconds.
    public var inSeconds: Double { Double(components.seconds) + (Double(components.attoseconds) * 1e-18) }

    /// The duration in whole nanoseconds, clamped to the range of `UInt64`.
    public var wholeNanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let (whole, isTooLong) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isLonger) = whole.addingReportingOverflow(UInt64(attoseconds / 1_000_000_000))
        return isTooLong || isLonger ? .max : sum
    }
}
