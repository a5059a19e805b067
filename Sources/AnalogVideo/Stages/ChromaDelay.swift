import AnalogVideoModel

/// Colour that arrives late: to the right of the picture, or rows below it.
struct ChromaDelay: Sendable {
    /// How many rows lower a row's colour comes out.
    let rows: Int
    private let shift: RowShift?
    private let rowCount: Int

    init?(_ settings: NTSCSettings, _ field: FieldFacts) {
        guard settings.chromaDelayHorizontal != 0 || settings.chromaDelayVertical != 0, field.hasColour else {
            return nil
        }
        rows = field.scaledRows(settings.chromaDelayVertical)
        rowCount = field.rowCount
        let horizontal = settings.chromaDelayHorizontal * field.horizontalScale
        // The scale counts twice, as in the reference.
        shift = horizontal == 0 ? nil : RowShift(horizontal * field.horizontalScale)
    }

    /// Delays eight rows of colour that come from `firstRow`; rows from outside the field carry none.
    func apply(to chromaI: inout Plane, _ chromaQ: inout Plane, firstRow: Int) {
        var isInside = SIMDMask<SIMD8<Int32>>(repeating: false)
        for lane in 0..<rowsPerBlock { isInside[lane] = (0..<rowCount).contains(firstRow + lane) }
        if isInside != SIMDMask(repeating: true) {
            keep(isInside, of: &chromaI)
            keep(isInside, of: &chromaQ)
        }
        shift?.apply(to: &chromaI)
        shift?.apply(to: &chromaQ)
    }

    private func keep(_ rows: SIMDMask<SIMD8<Int32>>, of plane: inout Plane) {
        var chroma = plane.columns
        for x in chroma.indices { chroma[x] = Lanes(0).replacing(with: chroma[x], where: rows) }
    }
}
