extension Duration {
    /// A duration of `seconds`, truncated to nanoseconds: NaN gives zero, and values beyond 292 years are clamped.
    ///
    /// `.seconds(_:)` traps for such values.
    public init(seconds: Double) {
        let nanoseconds = seconds * 1e9
        // 2^63 is the lowest value that does not fit.
        let limit = 0x1p63
        if nanoseconds >= limit {
            self.init(nanoseconds: Int64.max)
        } else if nanoseconds <= -limit {
            self.init(nanoseconds: Int64.min)
        } else {
            self.init(nanoseconds: nanoseconds.isNaN ? 0 : Int64(nanoseconds))
        }
    }

    /// The duration in seconds.
    @inlinable public var inSeconds: Double {
        // The conversion of 128 bits is generic, and takes a microsecond; 64 bits are enough for 9 s.
        Int64(exactly: attoseconds).map { Double($0) / 1e18 } ?? Double(attoseconds) / 1e18
    }
}
