import AnalogVideoModel

/// The delay line of a receiver, which holds chroma of the row above; see docs/NTSC.md, "Delay line".
struct DelayLine: Sendable {
    private let isOfSECAM: Bool

    /// Returns nil if the receiver has no delay line.
    init?(_ settings: NTSCSettings, _ field: FieldFacts) {
        isOfSECAM = field.standard == .secam
        guard isOfSECAM || (field.standard == .pal && settings.palDecoder == .delayLine), field.hasColour else {
            return nil
        }
    }

    /// Completes chroma of a block of rows that begins at `firstRow`.
    ///
    /// `delayed` holds the last row of the previous block before this stage, and receives the last row of this one.
    /// `isRed` is -1 in the rows that transmit Dr of SECAM.
    func apply(
        to chromaI: inout Plane, _ chromaQ: inout Plane, _ delayed: inout ChromaRow, isRed: Block<Int32>, firstRow: Int
    ) {
        if isOfSECAM {
            repeatRows(of: &chromaI, &chromaQ, &delayed.i, isRed: isRed, firstRow)
        } else {
            average(&chromaI, &delayed.i, firstRow)
            average(&chromaQ, &delayed.q, firstRow)
        }
    }

    /// Replaces each row by its mean with the row above.
    private func average(_ plane: inout Plane, _ rowAbove: inout [SampleAbove], _ firstRow: Int) {
        if firstRow == 0 {
            // The first row of the field is its own row above, so it does not change.
            let first = plane.row(0)
            for x in 0..<min(first.count, rowAbove.count) { rowAbove[x] = SampleAbove(first[x]) }
        }
        blend(&plane, rowAbove: &rowAbove)
    }

    /// Distributes the components on plane I to both planes; a missing one is that of the row above.
    ///
    /// The first row of the field becomes 0.
    private func repeatRows(
        of planeI: inout Plane, _ planeQ: inout Plane, _ rowAbove: inout [SampleAbove], isRed: Block<Int32>,
        _ firstRow: Int
    ) {
        var chromaI = planeI.columns
        var chromaQ = planeQ.columns
        guard rowAbove.count == chromaI.count, chromaQ.count == chromaI.count else { return }
        var rowAbove = rowAbove.mutableSpan
        for x in chromaI.indices {
            let own = chromaI[x]
            let above = movedDown(own, with: &rowAbove[x])
            chromaI[x] = select(isRed, own, above)
            chromaQ[x] = select(isRed, above, own)
        }
        guard firstRow == 0 else { return }
        let firstI = planeI.row(0)
        let firstQ = planeQ.row(0)
        for x in 0..<firstI.count { firstI[x] = 0 }
        for x in 0..<firstQ.count { firstQ[x] = 0 }
    }
}
