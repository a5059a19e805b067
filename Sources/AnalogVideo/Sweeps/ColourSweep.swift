import AnalogVideoModel

/// Vertical blend and output low-pass of chroma in one pass over a block of rows; see `EncodingSweep`.
struct ColourSweep: FusedSweep, Sendable {
    static var stages: ClosedRange<SignalStage> { .chromaVerticalBlend ... .chromaLowpassOut }

    private let limit: ChromaBandLimit

    /// Nil if the stages must run one after the other.
    init?(blendsVertically: Bool, _ limit: ChromaBandLimit?) {
        guard blendsVertically, let limit, limit.isOfOneKind else { return nil }
        self.limit = limit
    }

    func walk(_ chromaI: inout Plane, _ chromaQ: inout Plane, above: inout ChromaRow) {
        switch limit.kernel {
        case .second: walk(SecondOrder.self, &chromaI, &chromaQ, &above)
        case .third: walk(ThirdOrder.self, &chromaI, &chromaQ, &above)
        default: break
        }
    }

    private func walk<Kind: RunningFilter>(
        _: Kind.Type, _ planeI: inout Plane, _ planeQ: inout Plane, _ above: inout ChromaRow
    ) {
        var chromaI = planeI.columns
        var chromaQ = planeQ.columns
        let width = chromaI.count
        guard chromaQ.count == width, above.i.count == width, above.q.count == width else { return }
        var filterI = Kind(limit.filterI)
        var filterQ = Kind(limit.filterQ)
        let (delayI, delayQ) = (limit.delayI, limit.delayQ)
        var (blendI, blendQ) = (Lanes(0), Lanes(0))
        for x in 0..<width {
            blendI = blend(chromaI[x], with: &above.i[x])
            blendQ = blend(chromaQ[x], with: &above.q[x])
            let (i, q) = (filterI.step(blendI), filterQ.step(blendQ))
            if x >= delayI { chromaI[x - delayI] = i }
            if x >= delayQ { chromaQ[x - delayQ] = q }
        }
        for x in width..<(width + delayI) {
            let i = filterI.step(blendI)
            if x >= delayI { chromaI[x - delayI] = i }
        }
        for x in width..<(width + delayQ) {
            let q = filterQ.step(blendQ)
            if x >= delayQ { chromaQ[x - delayQ] = q }
        }
    }
}
