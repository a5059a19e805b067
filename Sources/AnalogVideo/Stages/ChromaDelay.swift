import AnalogVideoModel

/// Moves chroma to the right and down by whole rows, relative to luma; see docs/NTSC.md, "Chroma delay".
struct ChromaDelay: Sendable {
    /// Number of rows by which chroma moves down; negative is up.
    let rows: Int
    /// Place in the signal path of the shift to the right.
    private let position: ChromaDelayPosition
    private let shift: RowShift?
    private let rowCount: Int

    init?(_ settings: NTSCSettings, _ field: FieldFacts) {
        guard settings.chromaDelayHorizontal != 0 || settings.chromaDelayVertical != 0, field.hasColour else {
            return nil
        }
        rows = field.scaledRows(settings.chromaDelayVertical)
        position = settings.chromaDelayPosition
        rowCount = field.rowCount
        let horizontal = settings.chromaDelayHorizontal * field.horizontalScale
        // The horizontal scale is applied twice, as in the reference.
        shift = horizontal == 0 ? nil : RowShift(horizontal * field.horizontalScale)
    }

    /// Delays a block of rows of chroma that begins at `firstRow` of the input; rows outside the field become 0.
    func apply(to chromaI: inout Plane, _ chromaQ: inout Plane, firstRow: Int) {
        var isInside = LaneMask(repeating: false)
        for lane in 0..<rowsPerBlock { isInside[lane] = (0..<rowCount).contains(firstRow + lane) }
        if isInside != LaneMask(repeating: true) {
            keep(isInside, of: &chromaI)
            keep(isInside, of: &chromaQ)
        }
        move(&chromaI, &chromaQ, at: .receiver)
    }

    /// Shifts chroma to the right if `position` is that of the setting.
    func move(_ chromaI: inout Plane, _ chromaQ: inout Plane, at position: ChromaDelayPosition) {
        guard position == self.position else { return }
        shift?.apply(to: &chromaI)
        shift?.apply(to: &chromaQ)
    }

    private func keep(_ rows: LaneMask, of plane: inout Plane) {
        var chroma = plane.columns
        for x in chroma.indices { chroma[x] = Lanes(0).replacing(with: chroma[x], where: rows) }
    }
}
