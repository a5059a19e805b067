import AnalogVideoModel

/// Vertical blend and output low-pass of chroma in one pass over a block of rows; see `EncodingSweep`.
struct ColourSweep: FusedSweep, Sendable {
    static var stages: ClosedRange<SignalStage> { .chromaVerticalBlend ... .chromaLowpassOut }

    private let limit: ChromaBandLimit

    /// Creates the sweep; returns nil if the stages must run separately.
    init?(blendsVertically: Bool, _ limit: ChromaBandLimit?) {
        guard blendsVertically, let limit, limit.isOfOneKind else { return nil }
        self.limit = limit
    }

    func walk(_ chromaI: inout Plane, _ chromaQ: inout Plane, above: inout ChromaRow) {
        switch limit.kernel {
        case .second: walk(SecondOrder.self, &chromaI, &chromaQ, &above.i, &above.q)
        case .third: walk(ThirdOrder.self, &chromaI, &chromaQ, &above.i, &above.q)
        default: break
        }
    }

    private func walk<Kind: RunningFilter>(
        _: Kind.Type, _ planeI: inout Plane, _ planeQ: inout Plane, _ rowI: inout [SampleAbove],
        _ rowQ: inout [SampleAbove]
    ) {
        let (startI, startQ) = unsafe (planeI.start, planeQ.start)
        var chromaI = planeI.columns
        var chromaQ = planeQ.columns
        let width = chromaI.count
        guard chromaQ.count == width, rowI.count == width, rowQ.count == width else { return }
        var filterI = Kind(limit.filterI)
        var filterQ = Kind(limit.filterQ)
        let (delayI, delayQ) = (limit.delayI, limit.delayQ)
        var aboveI = rowI.mutableSpan
        var aboveQ = rowQ.mutableSpan
        var (blendI, blendQ) = (Lanes(0), Lanes(0))
        let delay = min(max(delayI, delayQ), width)
        for x in 0..<delay {
            blendI = blend(chromaI[x], with: &aboveI[x])
            blendQ = blend(chromaQ[x], with: &aboveQ[x])
            let (i, q) = (filterI.step(blendI), filterQ.step(blendQ))
            if x >= delayI { chromaI[x - delayI] = i }
            if x >= delayQ { chromaQ[x - delayQ] = q }
        }
        let whole = delay &+ Columns.whole(width &- delay)
        var x = delay
        // The accesses are unchecked, because bounds checks would occupy CPU registers that the filters need.
        while x < whole {
            var i = unsafe Columns(startI + x)
            var q = unsafe Columns(startQ + x)
            Columns.forEach { number in
                blendI = unsafe blend(i[number], with: &aboveI[unchecked: x &+ number])
                i[number] = filterI.step(blendI)
            }
            Columns.forEach { number in
                blendQ = unsafe blend(q[number], with: &aboveQ[unchecked: x &+ number])
                q[number] = filterQ.step(blendQ)
            }
            unsafe i.store(to: startI + (x &- delayI))
            unsafe q.store(to: startQ + (x &- delayQ))
            x &+= Columns.count
        }
        for x in whole..<width {
            blendI = blend(chromaI[x], with: &aboveI[x])
            blendQ = blend(chromaQ[x], with: &aboveQ[x])
            chromaI[x - delayI] = filterI.step(blendI)
            chromaQ[x - delayQ] = filterQ.step(blendQ)
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
