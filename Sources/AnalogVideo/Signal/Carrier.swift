import AnalogVideoModel
import CLanes

/// The colour carrier, with four samples per period and a phase that depends on the row.
///
/// See docs/NTSC.md, "Modulation".
struct Carrier: Sendable {
    private let standard: TelevisionStandard
    private let shift: ScanlinePhaseShift
    private let offset: UInt64
    var frame: UInt64

    init(_ settings: NTSCSettings, _ field: FieldFacts) {
        standard = field.standard
        shift = settings.videoScanlinePhaseShift
        offset = UInt64(max(0, settings.videoScanlinePhaseShiftOffset))
        frame = field.frame
    }

    /// Phase at the start of `row`, in quarters of a period.
    func phase(row: Int) -> Int {
        let line = line(row: row)
        switch standard {
        case .ntsc: break
        // A line lasts 1135/4 + 1/625 periods. The whole periods do not matter, and a quarter of 1135 is 3.
        case .pal: return (3 * line + (4 * line + 312) / 625 + Int(offset)) & 3
        // The carrier starts anew in each row, inverted in every third row and in every second field.
        case .secam: return ((line % 3 == 2 ? 2 : 0) + 2 * Int(frame & 1) + Int(offset)) & 3
        }
        let row = UInt64(bitPattern: Int64(row))
        return switch shift {
        case .degrees0: 0
        case .degrees180: Int((((frame &+ (row &* 2)) & 2) &+ offset) & 3)
        case .degrees90, .degrees270: Int((frame &+ offset &+ row) & 3)
        }
    }

    /// Number of the line of `row`, from the first line of eight fields of 625 lines; those of PAL then repeat.
    private func line(row: Int) -> Int { 625 * Int((frame >> 1) & 3) + 313 * Int(frame & 1) + row }

    /// Whether V has a negative sign in `row`; false except in PAL.
    private func isInverted(row: Int) -> Bool { standard == .pal && line(row: row) & 1 == 1 }

    /// Signs, 1 or -1, of the component on plane I in the rows of a block.
    func signs(firstRow: Int) -> Lanes {
        var signs = Lanes(1)
        for lane in 0..<rowsPerBlock where isInverted(row: firstRow + lane) { signs[lane] = -1 }
        return signs
    }

    /// -1 in the rows of a block that transmit Dr of SECAM, and 0 in those that transmit Db.
    func redRows(firstRow: Int) -> Block<Int32> {
        var isRed = Block<Int32>(repeating: 0)
        for lane in 0..<rowsPerBlock where line(row: firstRow + lane) & 1 == 0 { isRed[lane] = -1 }
        return isRed
    }

    /// Carriers of the rows of a block.
    func waves(firstRow: Int) -> CarrierWaves {
        var waves = CarrierWaves()
        for lane in 0..<rowsPerBlock {
            let row = firstRow + lane
            waves.set(lane, phase: phase(row: row), isInverted: isInverted(row: row))
        }
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
        /// The signs as numbers, in rows in which Q is 0 in even columns and I is 0 in odd ones; 0 in the other rows.
        private var (inPhaseI, inPhaseQ) = (Lanes(0), Lanes(0))
        /// The signs as numbers in the other rows.
        private var (otherI, otherQ) = (Lanes(0), Lanes(0))

        fileprivate mutating func set(_ lane: Int, phase: Int, isInverted: Bool) {
            let isInPhase = (phase & 1) == 0
            let (isNegativeI, isNegativeQ) = Self.areNegative(phase: phase, isInverted: isInverted)
            let (signI, signQ): (Float, Float) = (isNegativeI ? -1 : 1, isNegativeQ ? -1 : 1)
            (inPhaseI[lane], inPhaseQ[lane]) = isInPhase ? (signI, signQ) : (0, 0)
            (otherI[lane], otherQ[lane]) = isInPhase ? (0, 0) : (signI, signQ)
        }

        /// Luma plus chroma of a column; `phase` is the number of the column modulo 4.
        @inline(__always)
        func composite(_ luma: Lanes, _ i: Lanes, _ q: Lanes, phase: Int) -> Lanes {
            let (waveI, waveQ) = (phase & 1) == 1 ? (otherI, inPhaseQ) : (inPhaseI, otherQ)
            return phase < 2 ? fma(q, waveQ, fma(i, waveI, luma)) : fma(-q, waveQ, fma(-i, waveI, luma))
        }

        @inline(__always)
        func separated(_ own: Lanes, _ mean: Lanes, isOdd: Bool) -> (i: Lanes, q: Lanes) {
            let (ownI, meanI) = isOdd ? (otherI, inPhaseI) : (inPhaseI, otherI)
            let (ownQ, meanQ) = isOdd ? (inPhaseQ, otherQ) : (otherQ, inPhaseQ)
            return (fma(own, ownI, mean * meanI), fma(own, ownQ, mean * meanQ))
        }
    #else
        // A selection and a change of sign replace two products.
        /// -1 in rows in which Q is 0 in even columns and I is 0 in odd columns; 0 in rows with the reverse order.
        private var isInPhase = Block<Int32>(repeating: 0)
        /// Sign bits of the carriers of I and of Q in the columns 0 and 1 of a period in which they are not 0.
        private var (signsI, signsQ) = (LaneBits(repeating: 0), LaneBits(repeating: 0))
        /// The same sign bits, of column 0 and of column 1.
        private var (signs, nextSigns) = (LaneBits(repeating: 0), LaneBits(repeating: 0))

        fileprivate mutating func set(_ lane: Int, phase: Int, isInverted: Bool) {
            let isEven = (phase & 1) == 0
            isInPhase[lane] = isEven ? -1 : 0
            let (isNegativeI, isNegativeQ) = Self.areNegative(phase: phase, isInverted: isInverted)
            (signsI[lane], signsQ[lane]) = (isNegativeI ? 0x8000_0000 : 0, isNegativeQ ? 0x8000_0000 : 0)
            (signs[lane], nextSigns[lane]) = isEven ? (signsI[lane], signsQ[lane]) : (signsQ[lane], signsI[lane])
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
                clanes_negate(select(isInPhase, inPhase, other), where: signsI),
                clanes_negate(select(isInPhase, other, inPhase), where: signsQ)
            )
        }
    #endif

    /// Signs of the carriers of I and of Q in the column, 0 or 1, of a period in which they are not 0.
    ///
    /// `isInverted` is the alternating sign of PAL, of the carrier of I.
    private static func areNegative(phase: Int, isInverted: Bool) -> (i: Bool, q: Bool) {
        ((phase == 1 || phase == 2) != isInverted, phase >= 2)
    }
}
