import AnalogVideoModel
import CLanes

/// The colour carrier, with four samples per period and a phase that depends on the row.
struct Carrier: Sendable {
    private let shift: ScanlinePhaseShift
    private let offset: UInt64
    var frame: UInt64

    init(_ settings: NTSCSettings, _ field: FieldFacts) {
        shift = settings.videoScanlinePhaseShift
        offset = UInt64(max(0, settings.videoScanlinePhaseShiftOffset))
        frame = field.frame
    }

    /// Phase at the start of `row`, in quarters of a period; see docs/NTSC.md, "Modulation".
    func phase(row: Int) -> Int {
        let row = UInt64(bitPattern: Int64(row))
        return switch shift {
        case .degrees0: 0
        case .degrees180: Int((((frame &+ (row &* 2)) & 2) &+ offset) & 3)
        case .degrees90, .degrees270: Int((frame &+ offset &+ row) & 3)
        }
    }

    /// Carriers of the rows of a block.
    func waves(firstRow: Int) -> CarrierWaves {
        var waves = CarrierWaves()
        for lane in 0..<rowsPerBlock { waves.set(lane, phase: phase(row: firstRow + lane)) }
        return waves
    }

    /// Adds chroma to luma, which gives the composite signal.
    func modulate(
        _ planeI: borrowing Plane, _ planeQ: borrowing Plane, onto plane: inout Plane, firstRow: Int
    ) {
        var luma = plane.columns
        let chromaI = planeI.readOnlyColumns
        let chromaQ = planeQ.readOnlyColumns
        let waves = waves(firstRow: firstRow)
        guard chromaI.count == luma.count, chromaQ.count == luma.count else { return }
        for x in luma.indices { luma[x] = waves.composite(luma[x], chromaI[x], chromaQ[x], phase: x & 3) }
    }
}

/// Carriers of I and of Q in the rows of a block.
///
/// In each sample one carrier is 0, and the other is 1 or -1. The carrier that is not 0 has the sign of `signs` in even
/// columns and that of `nextSigns` in odd ones, or its opposite in columns 2 and 3 of a period.
struct CarrierWaves {
    #if arch(arm64)
        // Fused multiply-adds with a carrier take fewer instructions than selections and changes of sign. They round as
        // the additions do, because the products are exact.
        /// The signs as numbers, in rows in which Q is 0 in even columns and I is 0 in odd ones, and in the other rows.
        private var (inPhase, nextInPhase, other, nextOther) = (Lanes(0), Lanes(0), Lanes(0), Lanes(0))

        fileprivate mutating func set(_ lane: Int, phase: Int) {
            let isInPhase = (phase & 1) == 0
            let (sign, nextSign): (Float, Float) = (phase >= 2 ? -1 : 1, phase == 1 || phase == 2 ? -1 : 1)
            (inPhase[lane], nextInPhase[lane]) = isInPhase ? (sign, nextSign) : (0, 0)
            (other[lane], nextOther[lane]) = isInPhase ? (0, 0) : (sign, nextSign)
        }

        /// Luma plus chroma of a column; `phase` is the number of the column modulo 4.
        @inline(__always)
        func composite(_ luma: Lanes, _ i: Lanes, _ q: Lanes, phase: Int) -> Lanes {
            let isOdd = (phase & 1) == 1
            let (waveI, waveQ) = isOdd ? (nextOther, nextInPhase) : (inPhase, other)
            return phase < 2 ? fma(q, waveQ, fma(i, waveI, luma)) : fma(-q, waveQ, fma(-i, waveI, luma))
        }

        @inline(__always)
        func separated(_ own: Lanes, _ mean: Lanes, isOdd: Bool) -> (i: Lanes, q: Lanes) {
            let (ownI, meanI) = isOdd ? (nextOther, nextInPhase) : (nextInPhase, nextOther)
            let (ownQ, meanQ) = isOdd ? (inPhase, other) : (other, inPhase)
            return (fma(own, ownI, mean * meanI), fma(own, ownQ, mean * meanQ))
        }
    #else
        // A selection and a change of sign replace two products.
        /// -1 in rows in which Q is 0 in even columns and I is 0 in odd columns; 0 in rows with the reverse order.
        private var isInPhase = Block<Int32>(repeating: 0)
        private var (signs, nextSigns) = (LaneBits(repeating: 0), LaneBits(repeating: 0))

        fileprivate mutating func set(_ lane: Int, phase: Int) {
            isInPhase[lane] = (phase & 1) == 0 ? -1 : 0
            signs[lane] = phase >= 2 ? 0x8000_0000 : 0
            nextSigns[lane] = phase == 1 || phase == 2 ? 0x8000_0000 : 0
        }

        /// Luma plus chroma of a column; `phase` is the number of the column modulo 4.
        @inline(__always)
        func composite(_ luma: Lanes, _ i: Lanes, _ q: Lanes, phase: Int) -> Lanes {
            let isOdd = (phase & 1) == 1
            let chroma = isOdd ? select(isInPhase, q, i) : select(isInPhase, i, q)
            let signed = clanes_negate(chroma, where: isOdd ? nextSigns : signs)
            return phase < 2 ? luma + signed : luma - signed
        }

        /// I and Q of a column: one is `own`, the signal times the carrier that is not 0, and the other is `mean`.
        @inline(__always)
        func separated(_ own: Lanes, _ mean: Lanes, isOdd: Bool) -> (i: Lanes, q: Lanes) {
            let (inPhase, other) = isOdd ? (mean, own) : (own, mean)
            return (
                clanes_negate(select(isInPhase, inPhase, other), where: nextSigns),
                clanes_negate(select(isInPhase, other, inPhase), where: signs)
            )
        }
    #endif
}
