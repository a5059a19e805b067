extension Duration {
    /// A duration of whole nanoseconds; `nanoseconds` has at most 64 bits.
    ///
    /// Equals `.nanoseconds(_:)` without its check for overflow, which takes ten instructions.
    @inlinable @inline(__always)
    public init(nanoseconds: some FixedWidthInteger) {
        self.init(attoseconds: Int128(truncatingIfNeeded: nanoseconds) &* 1_000_000_000)
    }
}

extension UInt64 {
    /// The number of whole nanoseconds of `time`: 0 if it is negative, and the maximum above 584 years.
    @inlinable
    public init(nanosecondsOf time: Duration) {
        let attoseconds = time.attoseconds
        // A 64-bit division is faster, and 64 bits are enough for 18 s.
        if let short = UInt64(exactly: attoseconds) {
            self = short / 1_000_000_000
        } else {
            self = UInt64(clamping: attoseconds / 1_000_000_000)
        }
    }
}

extension Int64 {
    /// The number of whole nanoseconds of `time`, rounded toward 0; clamped at 292 years in both directions.
    @inlinable
    public init(nanosecondsOf time: Duration) {
        let attoseconds = time.attoseconds
        // 64 bits are enough for 9 s.
        if let short = Int64(exactly: attoseconds) {
            self = short / 1_000_000_000
        } else {
            self = Int64(clamping: attoseconds / 1_000_000_000)
        }
    }
}
