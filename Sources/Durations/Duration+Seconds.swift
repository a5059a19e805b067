extension Duration {
    /// Truncates `seconds` to nanoseconds; NaN becomes zero, and values beyond 292 years are clamped.
    ///
    /// In contrast, `.seconds(_:)` traps for NaN and for values that a `Duration` cannot represent.
    public init(seconds: Double) {
        let nanoseconds = seconds * 1e9
        // 2^63 is the lowest value that does not fit in an `Int64`.
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
        // The generic 128-bit conversion takes 1 us; 64 bits suffice for 9 s.
        Int64(exactly: attoseconds).map { Double($0) / 1e18 } ?? Double(attoseconds) / 1e18
    }
}
