import AnalogVideoModel

/// Luma filter, chroma low-pass, modulation and sharpening in one walk along eight rows.
///
/// Each filter waits for its own last output only; side by side in one loop they take hardly longer than the slowest,
/// and the signal stays in registers between them. The same arithmetic as stage by stage, to the last bit.
struct EncodingSweep: FusedSweep, Sendable {
    static var stages: ClosedRange<SignalStage> { .lumaFilter ... .compositeSharpening }

    private let inputLumaFilter: InputLumaFilter?
    private let chroma: ChromaBandLimit?
    private let carrier: Carrier
    private let preemphasis: Filter

    /// Nil where the stages have to be walked one by one.
    init?(
        _ inputLumaFilter: InputLumaFilter?, _ chroma: ChromaBandLimit?, _ carrier: Carrier,
        _ preemphasis: CompositePreemphasis?
    ) {
        // A running mean is no recursive filter, and filters of unlike kinds do not run side by side.
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
        // The filters of chroma run ahead by their delay.
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

/// No filter at all, where a walk asks for one.
struct PassThrough: RunningFilter {
    @inline(__always)
    init(_ filter: Filter) {}

    @inline(__always)
    mutating func step(_ x: Lanes) -> Lanes { x }
}
