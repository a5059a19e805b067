import AnalogVideoModel

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

    /// Factors of I and Q in the rows of a block, indexed by the column modulo 4.
    func waves(firstRow: Int) -> (i: InlineArray<4, Lanes>, q: InlineArray<4, Lanes>) {
        var i = InlineArray<4, Lanes>(repeating: Lanes(0))
        var q = InlineArray<4, Lanes>(repeating: Lanes(0))
        for lane in 0..<rowsPerBlock {
            let phase = phase(row: firstRow + lane)
            i[(4 - phase) & 3][lane] = 1
            q[(5 - phase) & 3][lane] = 1
            i[(6 - phase) & 3][lane] = -1
            q[(7 - phase) & 3][lane] = -1
        }
        return (i, q)
    }

    /// Adds chroma to luma, which gives the composite signal.
    func modulate(
        _ planeI: borrowing Plane, _ planeQ: borrowing Plane, onto plane: inout Plane, firstRow: Int
    ) {
        var luma = plane.columns
        let chromaI = planeI.readOnlyColumns
        let chromaQ = planeQ.readOnlyColumns
        let (wavesI, wavesQ) = waves(firstRow: firstRow)
        guard chromaI.count == luma.count, chromaQ.count == luma.count else { return }
        // Four columns in one iteration, because the factors of four columns fit in registers.
        let period = wavesI.count
        let whole = luma.count - luma.count % period
        for first in stride(from: 0, to: whole, by: period) {
            for phase in 0..<period {
                let x = first + phase
                luma[x] += (chromaI[x] * wavesI[phase]) + (chromaQ[x] * wavesQ[phase])
            }
        }
        for x in whole..<luma.count {
            luma[x] += (chromaI[x] * wavesI[x - whole]) + (chromaQ[x] * wavesQ[x - whole])
        }
    }
}
