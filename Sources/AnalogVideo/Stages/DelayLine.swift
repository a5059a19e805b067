import AnalogVideoModel

/// The delay line of a receiver, which holds chroma of the row above; see docs/NTSC.md, "Delay line".
struct DelayLine: Sendable {
    /// Returns nil if the receiver has no delay line.
    init?(_ settings: NTSCSettings, _ field: FieldFacts) {
        guard field.standard == .pal, settings.palDecoder == .delayLine, field.hasColour else { return nil }
    }

    /// Replaces each row of a block that begins at `firstRow` by its mean with the row above.
    ///
    /// `delayed` holds the last row of the previous block before this stage, and receives the last row of this one.
    func apply(to chromaI: inout Plane, _ chromaQ: inout Plane, _ delayed: inout ChromaRow, firstRow: Int) {
        apply(to: &chromaI, &delayed.i, firstRow)
        apply(to: &chromaQ, &delayed.q, firstRow)
    }

    private func apply(to plane: inout Plane, _ rowAbove: inout [SampleAbove], _ firstRow: Int) {
        if firstRow == 0 {
            // The first row of the field is its own row above, so it does not change.
            let first = plane.row(0)
            for x in 0..<min(first.count, rowAbove.count) { rowAbove[x] = SampleAbove(first[x]) }
        }
        blend(&plane, rowAbove: &rowAbove)
    }
}
