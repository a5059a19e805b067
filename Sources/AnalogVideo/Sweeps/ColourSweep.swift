/// The vertical blend and the last low-pass of chroma in one walk along eight rows; see `EncodingSweep`.
struct ColourSweep: Sendable {
    private let limit: ChromaBandLimit

    /// Nil where the stages have to be walked one by one.
    init?(blendsVertically: Bool, _ limit: ChromaBandLimit?) {
        guard blendsVertically, let limit, limit.isOfOneKind else { return nil }
        self.limit = limit
    }

    func walk(
        _ chromaI: inout Plane, aboveI: inout [Float], _ chromaQ: inout Plane, aboveQ: inout [Float]
    ) {
        switch limit.kernel {
        case .second: walk(SecondOrder.self, &chromaI, &aboveI, &chromaQ, &aboveQ)
        case .third: walk(ThirdOrder.self, &chromaI, &aboveI, &chromaQ, &aboveQ)
        default: break
        }
    }

    private func walk<Kind: RunningFilter>(
        _: Kind.Type, _ planeI: inout Plane, _ aboveI: inout [Float], _ planeQ: inout Plane, _ aboveQ: inout [Float]
    ) {
        var chromaI = planeI.columns
        var chromaQ = planeQ.columns
        let width = chromaI.count
        guard chromaQ.count == width, aboveI.count == width, aboveQ.count == width else { return }
        var filterI = Kind(limit.filterI)
        var filterQ = Kind(limit.filterQ)
        let (delayI, delayQ) = (limit.delayI, limit.delayQ)
        var (blendI, blendQ) = (Lanes(0), Lanes(0))
        for x in 0..<width {
            blendI = blend(chromaI[x], with: &aboveI[x])
            blendQ = blend(chromaQ[x], with: &aboveQ[x])
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
