import AnalogVideoModel

/// Input luma filter, chroma low-pass, modulation and sharpening in one pass over a block of rows.
///
/// A recursive filter depends only on its own previous output, so filters in one loop run in parallel and cost little
/// more than the slowest of them. The signal stays in registers in between. The result equals that of the separate
/// stages to the last bit.
struct EncodingSweep: FusedSweep, Sendable {
    static var stages: ClosedRange<SignalStage> { .lumaFilter ... .compositeSharpening }

    private let inputLumaFilter: InputLumaFilter?
    private let chroma: ChromaBandLimit?
    private let carrier: Carrier
    private let preemphasis: Filter

    /// Nil if the stages must run one after the other.
    init?(
        _ inputLumaFilter: InputLumaFilter?, _ chroma: ChromaBandLimit?, _ carrier: Carrier,
        _ preemphasis: CompositePreemphasis?
    ) {
        // The box filter is not a `RunningFilter`, and the loop takes chroma filters of one kernel only.
        guard inputLumaFilter?.isNotch != false, chroma?.isOfOneKind != false else { return nil }
        self.inputLumaFilter = inputLumaFilter
        self.chroma = chroma
        self.carrier = carrier
        self.preemphasis = preemphasis?.filter ?? .identity
    }

    func walk(_ luma: inout Plane, _ chromaI: borrowing Plane, _ chromaQ: borrowing Plane, firstRow: Int) {
        if inputLumaFilter == nil {
            walk(PassThrough(.identity), &luma, chromaI, chromaQ, firstRow)
        } else {
            walk(SecondOrder.carrierNotch(settledAt: luma.firstColumn), &luma, chromaI, chromaQ, firstRow)
        }
    }

    @inline(__always)
    private func walk(
        _ filterY: some RunningFilter, _ luma: inout Plane, _ chromaI: borrowing Plane, _ chromaQ: borrowing Plane,
        _ firstRow: Int
    ) {
        switch chroma?.kernel {
        case .second: walk(filterY, SecondOrder.self, &luma, chromaI, chromaQ, firstRow)
        case .third: walk(filterY, ThirdOrder.self, &luma, chromaI, chromaQ, firstRow)
        default: walk(filterY, PassThrough.self, &luma, chromaI, chromaQ, firstRow)
        }
    }

    private func walk<Chroma: RunningFilter>(
        _ filterY: some RunningFilter, _: Chroma.Type, _ planeY: inout Plane, _ planeI: borrowing Plane,
        _ planeQ: borrowing Plane, _ firstRow: Int
    ) {
        var luma = planeY.columns
        let chromaI = planeI.readOnlyColumns
        let chromaQ = planeQ.readOnlyColumns
        let last = luma.count - 1
        guard last >= 0, chromaI.count == luma.count, chromaQ.count == luma.count else { return }
        var filterY = filterY
        var filterI = Chroma(chroma?.filterI ?? .identity)
        var filterQ = Chroma(chroma?.filterQ ?? .identity)
        var sharpener = FirstOrder(preemphasis)
        let delayI = chroma?.delayI ?? 0
        let delayQ = chroma?.delayQ ?? 0
        // The chroma filters run ahead by as many columns as their delay.
        for x in 0..<delayI { _ = filterI.step(chromaI[min(x, last)]) }
        for x in 0..<delayQ { _ = filterQ.step(chromaQ[min(x, last)]) }
        let (wavesI, wavesQ) = carrier.waves(firstRow: firstRow)
        let period = wavesI.count
        for first in stride(from: 0, through: last, by: period) {
            for phase in 0..<min(period, luma.count - first) {
                let x = first + phase
                let i = filterI.step(chromaI[min(x + delayI, last)])
                let q = filterQ.step(chromaQ[min(x + delayQ, last)])
                let composite = filterY.step(luma[x]) + ((i * wavesI[phase]) + (q * wavesQ[phase]))
                luma[x] = sharpener.step(composite)
            }
        }
    }
}

/// A filter whose output is its input, for a stage that is off.
struct PassThrough: RunningFilter {
    @inline(__always)
    init(_ filter: Filter) {}

    @inline(__always)
    mutating func step(_ x: Lanes) -> Lanes { x }
}
