extension Duration {
    /// Creates a duration of whole nanoseconds with at most 64 bits.
    ///
    /// The result equals that of `.nanoseconds(_:)`, but without the overflow check, which takes ten instructions.
    @inlinable @inline(__always)
    public init(nanoseconds: some FixedWidthInteger) {
        self.init(attoseconds: Int128(truncatingIfNeeded: nanoseconds) &* 1_000_000_000)
    }
}

extension UInt64 {
    /// Whole nanoseconds of `time`, clamped to 0 and to 584 years.
    @inlinable
    public init(nanosecondsOf time: Duration) {
        let attoseconds = time.attoseconds
        // A 64-bit division is faster, and 64 bits of attoseconds suffice for 18 s.
        if let short = UInt64(exactly: attoseconds) {
            self = short / 1_000_000_000
        } else {
            self = UInt64(clamping: attoseconds / 1_000_000_000)
        }
    }
}

extension Int64 {
    /// Whole nanoseconds of `time`, rounded toward 0 and clamped to 292 years.
    @inlinable
    public init(nanosecondsOf time: Duration) {
        let attoseconds = time.attoseconds
        // An `Int64` of attoseconds suffices for 9 s.
        if let short = Int64(exactly: attoseconds) {
            self = short / 1_000_000_000
        } else {
            self = Int64(clamping: attoseconds / 1_000_000_000)
        }
    }
}
