// Arithmetic of `Duration` for the functions that are called per frame.
//
// The operators of the standard library are function calls, and those for products and quotients are generic. In a file
// of this package that imports this module, the operators of this file shadow them. They are inlined, so that a sum
// takes two instructions.
//
// A 64-bit count of nanoseconds fills 94 of the 127 bits. Neither a sum of such times nor the product of one with a
// 32-bit number can overflow, so no operator checks for it.

extension Duration {
    @inlinable package static var zero: Self { Self(attoseconds: 0) }

    @inlinable package static func + (a: Self, b: Self) -> Self { Self(attoseconds: a.attoseconds &+ b.attoseconds) }
    @inlinable package static func - (a: Self, b: Self) -> Self { Self(attoseconds: a.attoseconds &- b.attoseconds) }
    @inlinable package static func += (a: inout Self, b: Self) { a = a + b }
    @inlinable package static func -= (a: inout Self, b: Self) { a = a - b }

    /// `factor` must fit 32 bits.
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
