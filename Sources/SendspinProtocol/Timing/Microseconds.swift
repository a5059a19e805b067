import Durations

/// Conversion of durations to and from microseconds, the unit of the time filter and of the Sendspin protocol.
extension Duration {
    /// Creates a duration, clamped to 292 years; NaN becomes zero.
    init(microseconds: Double) {
        // The fraction is converted separately, so that an offset of years keeps its nanoseconds.
        let whole = microseconds.rounded(.down)
        guard whole.magnitude < 0x1p53 else {
            self.init(seconds: microseconds / 1e6)
            return
        }
        self = Self(nanoseconds: Int64(whole)) * 1000 + Self(nanoseconds: Int64((microseconds - whole) * 1000))
    }

    /// The duration in microseconds; exact for whole microseconds up to 285 years.
    var inMicroseconds: Double {
        let (whole, rest) = attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000_000)
        // The generic conversion of 128 bits would take 1 us.
        return Double(Int64(clamping: whole)) + Double(Int64(truncatingIfNeeded: rest)) / 1e12
    }

    var wholeMicroseconds: Self { Self(attoseconds: attoseconds - attoseconds % 1_000_000_000_000) }
}
