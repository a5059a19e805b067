/// One column of eight neighbouring rows.
///
/// The signal is kept in blocks of eight rows, column by column, so that a filter that runs along the rows is plain
/// vertical arithmetic: each lane is a row of its own.
typealias Lanes = SIMD8<Float>

/// The bits of eight numbers.
typealias LaneBits = SIMD8<UInt32>

/// How many rows a block holds.
let rowsPerBlock = Lanes.scalarCount

extension SIMD8<Float> {
    @inline(__always)
    init(_ value: Float) { self.init(repeating: value) }
}

/// `a * b + c`, rounded once where the processor can.
///
/// Without that instruction the compiler would call `fmaf` for every lane, at several times the cost of the whole
/// effect; two roundings are at most one code off, in less than 0.1 % of the samples.
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
        // SSE2 cannot round; adding and taking away 1.5·2²³ rounds to nearest, which is at most one too high.
        let nearest = (x + Lanes(12_582_912)) - Lanes(12_582_912)
        return nearest.replacing(with: nearest - Lanes(1), where: nearest .> x)
    #endif
}

/// Between 0 and `maximum`; what is no number at all becomes `maximum`.
@inline(__always)
func clamped(_ x: Lanes, to maximum: Lanes) -> Lanes {
    let low = maximum.replacing(with: x, where: x .< maximum)
    return Lanes(0).replacing(with: low, where: low .> Lanes(0))
}

/// The bits of a whole number, two's complement; exact for magnitudes below 2²².
///
/// Swift's own conversion traps on what does not fit and works lane by lane. Adding 1.5·2²³ moves the number into the
/// low bits of the mantissa.
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

/// The rows one further up: lane 0 is `above`, lane 7 falls off.
@inline(__always)
func movedDown(_ rows: Lanes, above: Float) -> Lanes {
    Lanes(above, rows[0], rows[1], rows[2], rows[3], rows[4], rows[5], rows[6])
}

/// The rows one further down: lane 0 falls off, and lane 7 stays as well.
@inline(__always)
func movedUp(_ rows: Lanes) -> Lanes {
    Lanes(rows[1], rows[2], rows[3], rows[4], rows[5], rows[6], rows[7], rows[7])
}

/// The number nearest to π; `Float.pi` is the one below, which a filter near its limit shows.
let pi = Float(bitPattern: 0x4049_0FDB)
