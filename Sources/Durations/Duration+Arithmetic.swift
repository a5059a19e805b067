// Arithmetic of `Duration` for functions that are called per frame.
//
// The standard library's operators are function calls, and its products and quotients are generic. In files that import
// this module, the inlined operators of this file replace them. A sum then takes two instructions.
//
// A 64-bit count of nanoseconds fills 94 of the 127 bits of a duration. Sums of such durations and their products with
// 32-bit numbers cannot overflow, so no operator checks for overflow.

extension Duration {
    @inlinable package static var zero: Self { Self(attoseconds: 0) }

    @inlinable package static func + (a: Self, b: Self) -> Self { Self(attoseconds: a.attoseconds &+ b.attoseconds) }
    @inlinable package static func - (a: Self, b: Self) -> Self { Self(attoseconds: a.attoseconds &- b.attoseconds) }
    @inlinable package static func += (a: inout Self, b: Self) { a = a + b }
    @inlinable package static func -= (a: inout Self, b: Self) { a = a - b }

    /// `factor` must fit in 32 bits.
    @inlinable package static func * (a: Self, factor: Int) -> Self {
        Self(attoseconds: a.attoseconds &* Int128(factor))
    }
    /// `divisor` must be greater than 0.
    @inlinable package static func / (a: Self, divisor: Int) -> Self {
        Self(attoseconds: a.attoseconds / Int128(divisor))
    }

    @inlinable package static func == (a: Self, b: Self) -> Bool { a.attoseconds == b.attoseconds }
    @inlinable package static func != (a: Self, b: Self) -> Bool { a.attoseconds != b.attoseconds }
    @inlinable package static func < (a: Self, b: Self) -> Bool { a.attoseconds < b.attoseconds }
    @inlinable package static func <= (a: Self, b: Self) -> Bool { a.attoseconds <= b.attoseconds }
    @inlinable package static func > (a: Self, b: Self) -> Bool { a.attoseconds > b.attoseconds }
    @inlinable package static func >= (a: Self, b: Self) -> Bool { a.attoseconds >= b.attoseconds }
}

@inlinable package func min(_ a: Duration, _ b: Duration) -> Duration { a < b ? a : b }
@inlinable package func max(_ a: Duration, _ b: Duration) -> Duration { a > b ? a : b }
