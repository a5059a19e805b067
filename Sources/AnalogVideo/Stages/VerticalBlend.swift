/// Blends the colour of each row with the row above, as a delay line of one row does.
///
/// `rowAbove` holds the last row of the block before, and receives the last row of this one; above the first row of a
/// field there is no colour, so that row loses half its own.
func blendVertically(_ plane: inout Plane, rowAbove: inout [Float]) {
    var chroma = plane.columns
    guard rowAbove.count == chroma.count else { return }
    for x in chroma.indices {
        let rows = chroma[x]
        chroma[x] = (movedDown(rows, above: rowAbove[x]) + rows) * Lanes(0.5)
        rowAbove[x] = rows[rowsPerBlock - 1]
    }
}
