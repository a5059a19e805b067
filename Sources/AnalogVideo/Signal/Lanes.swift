import CLanes

// The number of rows in a block is defined only here.
#if SIXTEEN_ROWS
    /// One element of each row of a block.
    typealias Block<Scalar: SIMDScalar> = SIMD16<Scalar>

    /// One element of each row of a block, of any type.
    typealias PerRow<Element> = InlineArray<16, Element>
#elseif arch(arm64)
    /// One element of each row of a block.
    typealias Block<Scalar: SIMDScalar> = SIMD4<Scalar>

    /// One element of each row of a block, of any type.
    typealias PerRow<Element> = InlineArray<4, Element>
#else
    /// One element of each row of a block.
    typealias Block<Scalar: SIMDScalar> = SIMD8<Scalar>

    /// One element of each row of a block, of any type.
    typealias PerRow<Element> = InlineArray<8, Element>
#endif

/// One column of the neighbouring rows of a block.
///
/// The signal is stored in blocks of rows, column by column. A lane is a row, so a filter along the rows requires no
/// operation across lanes.
typealias Lanes = Block<Float>

/// Bit patterns of the samples of a column.
typealias LaneBits = Block<UInt32>

/// A Boolean for each row of a block.
typealias LaneMask = SIMDMask<Block<Int32>>

let rowsPerBlock = Lanes.scalarCount

// These operators replace those of the standard library, for the reason in CLanes.h.
extension Lanes {
    @inline(__always)
    init(_ value: Float) { self.init(repeating: value) }

    @inline(__always)
    static func + (a: Lanes, b: Lanes) -> Lanes { clanes_add(a, b) }

    @inline(__always)
    static func - (a: Lanes, b: Lanes) -> Lanes { clanes_subtract(a, b) }

    @inline(__always)
    static func * (a: Lanes, b: Lanes) -> Lanes { clanes_multiply(a, b) }

    @inline(__always)
    static prefix func - (a: Lanes) -> Lanes { clanes_negate(a) }

    @inline(__always)
    static func += (a: inout Lanes, b: Lanes) { a = clanes_add(a, b) }

    @inline(__always)
    static func *= (a: inout Lanes, b: Lanes) { a = clanes_multiply(a, b) }
}

extension LaneBits {
    @inline(__always)
    static func & (a: LaneBits, b: LaneBits) -> LaneBits { clanes_and(a, b) }

    @inline(__always)
    static func | (a: LaneBits, b: LaneBits) -> LaneBits { clanes_or(a, b) }

    @inline(__always)
    static func &<< (a: LaneBits, counts: LaneBits) -> LaneBits { clanes_shift_left(a, counts) }

    @inline(__always)
    static func &>> (a: LaneBits, counts: LaneBits) -> LaneBits { clanes_shift_right(a, counts) }
}

/// `a * b + c` with one rounding if the processor has fused multiply-add, otherwise with two.
///
/// Without that instruction the compiler would call `fmaf` for every lane, at several times the cost of the whole
/// effect. Two roundings change at most 0.05 % of the samples, by one code; see docs/NTSC.md, "Reference and
/// exactness".
@inline(__always)
func fma(_ a: Lanes, _ b: Lanes, _ c: Lanes) -> Lanes {
    #if FUSED_MULTIPLY_ADD || arch(arm64)
        clanes_fused(a, b, c)
    #else
        a * b + c
    #endif
}

/// Largest whole number not above each lane; exact for magnitudes below 2²².
@inline(__always)
func floor(_ x: Lanes) -> Lanes {
    #if FUSED_MULTIPLY_ADD || arch(arm64)
        return clanes_floor(x)
    #else
        // SSE2 has no rounding instruction. Adding and subtracting 1.5·2²³ rounds to nearest, at most 1 too high.
        let nearest = (x + Lanes(12_582_912)) - Lanes(12_582_912)
        return clanes_select(clanes_is_larger(nearest, x), nearest - Lanes(1), nearest)
    #endif
}

/// The smaller of each two lanes, or that of `b` if `a` is NaN.
///
/// `b` must not be NaN.
@inline(__always)
func smaller(_ a: Lanes, _ b: Lanes) -> Lanes { clanes_smaller(a, b) }

/// Clamps to 0 … `maximum`; NaN becomes `maximum`.
@inline(__always)
func clamped(_ x: Lanes, to maximum: Lanes) -> Lanes {
    clanes_larger(clanes_smaller(x, maximum), Lanes(0))
}

/// Bits of a whole number in two's complement; exact for magnitudes below 2²².
///
/// Swift's conversion traps on overflow and converts lane by lane. The sum with 1.5·2²³ has the number in the low bits
/// of the mantissa.
@inline(__always)
func wholeBits(_ x: Lanes) -> LaneBits {
    unsafe unsafeBitCast(x + Lanes(12_582_912), to: LaneBits.self) &- LaneBits(repeating: 0x4B40_0000)
}

@inline(__always)
func bits(_ x: Lanes) -> LaneBits { unsafe unsafeBitCast(x, to: LaneBits.self) }

@inline(__always)
func lanes(bits: LaneBits) -> Lanes { unsafe unsafeBitCast(bits, to: Lanes.self) }

/// Converts whole numbers below 2²³ to floating point.
@inline(__always)
func float(_ whole: LaneBits) -> Lanes { clanes_float(whole) }

/// Whole part, clamped to 0 … `maximum`, which is below 2³¹; NaN becomes `maximum`.
@inline(__always)
func clampedWhole(_ x: Lanes, to maximum: Lanes) -> LaneBits {
    #if arch(arm64)
        clanes_saturate(clanes_smaller(x, maximum))
    #else
        clanes_truncate(clamped(x, to: maximum))
    #endif
}

/// Lanes of `a` where `mask` is -1, and lanes of `b` where it is 0.
@inline(__always)
func select(_ mask: Block<Int32>, _ a: Lanes, _ b: Lanes) -> Lanes { clanes_select(mask, a, b) }

/// Each lane receives the row above it; lane 0 receives `above`.
@inline(__always)
func movedDown(_ rows: Lanes, above: Float) -> Lanes {
    Lanes { lane in lane == 0 ? above : rows[lane - 1] }
}

/// Each lane receives the row below it; the last lane does not change.
@inline(__always)
func movedUp(_ rows: Lanes) -> Lanes {
    Lanes { lane in rows[min(lane + 1, rowsPerBlock - 1)] }
}

/// The `Float` nearest to π.
///
/// `Float.pi` is the next smaller number. The difference shows in filters whose corner is near half the sample rate.
let pi = Float(bitPattern: 0x4049_0FDB)
