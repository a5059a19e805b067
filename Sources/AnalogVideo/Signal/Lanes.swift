/// One column of eight neighbouring rows.
///
/// The signal is stored in blocks of eight rows, column by column. A lane is a row, so a filter along the rows
/// needs no operation across lanes.
typealias Lanes = SIMD8<Float>

/// The bit patterns of eight samples.
typealias LaneBits = SIMD8<UInt32>

/// Number of rows in a block.
let rowsPerBlock = Lanes.scalarCount

extension SIMD8<Float> {
    @inline(__always)
    init(_ value: Float) { self.init(repeating: value) }
}

/// `a * b + c` with one rounding if the processor has fused multiply-add, else with two.
///
/// Without that instruction the compiler would call `fmaf` for every lane, at several times the cost of the whole
/// effect. Two roundings change at most 0.05 % of the samples, by one code; see docs/NTSC.md, "Reference and
/// exactness".
@inline(__always)
func fma(_ a: Lanes, _ b: Lanes, _ c: Lanes) -> Lanes {
    #if FUSED_MULTIPLY_ADD || arch(arm64)
        c.addingProduct(a, b)
    #else
        a * b + c
    #endif
}

/// The largest whole number not above each lane; exact for magnitudes below 2²².
@inline(__always)
func floor(_ x: Lanes) -> Lanes {
    #if FUSED_MULTIPLY_ADD || arch(arm64)
        return x.rounded(.down)
    #else
        // SSE2 has no rounding instruction. Adding and subtracting 1.5·2²³ rounds to nearest, at most one too high.
        let nearest = (x + Lanes(12_582_912)) - Lanes(12_582_912)
        return nearest.replacing(with: nearest - Lanes(1), where: nearest .> x)
    #endif
}

/// Clamps to 0 … `maximum`; NaN becomes `maximum`.
@inline(__always)
func clamped(_ x: Lanes, to maximum: Lanes) -> Lanes {
    let low = maximum.replacing(with: x, where: x .< maximum)
    return Lanes(0).replacing(with: low, where: low .> Lanes(0))
}

/// The bits of a whole number, two's complement; exact for magnitudes below 2²².
///
/// Swift's conversion traps on overflow and converts lane by lane. Adding 1.5·2²³ moves the number into the low bits of
/// the mantissa.
@inline(__always)
func wholeBits(_ x: Lanes) -> LaneBits {
    unsafe unsafeBitCast(x + Lanes(12_582_912), to: LaneBits.self) &- LaneBits(repeating: 0x4B40_0000)
}

@inline(__always)
func bits(_ x: Lanes) -> LaneBits { unsafe unsafeBitCast(x, to: LaneBits.self) }

@inline(__always)
func lanes(bits: LaneBits) -> Lanes { unsafe unsafeBitCast(bits, to: Lanes.self) }

/// Whole numbers below 2²³ as floating point.
@inline(__always)
func float(_ whole: LaneBits) -> Lanes {
    lanes(bits: whole | LaneBits(repeating: 0x4B00_0000)) - Lanes(8_388_608)
}

/// Each lane receives the row above it; lane 0 receives `above`.
@inline(__always)
func movedDown(_ rows: Lanes, above: Float) -> Lanes {
    Lanes(above, rows[0], rows[1], rows[2], rows[3], rows[4], rows[5], rows[6])
}

/// Each lane receives the row below it; lane 7 stays.
@inline(__always)
func movedUp(_ rows: Lanes) -> Lanes {
    Lanes(rows[1], rows[2], rows[3], rows[4], rows[5], rows[6], rows[7], rows[7])
}

/// The `Float` nearest to π.
///
/// `Float.pi` is the next smaller number. The difference shows in filters whose corner is near half the sample rate.
let pi = Float(bitPattern: 0x4049_0FDB)
