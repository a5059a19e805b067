/// Blends the colour of each row with the row above, as a delay line of one row does.
///
/// `rowAbove` holds the last row of the block before, and receives the last row of this one; above the first row of a
/// field there is no colour, so that row loses half its own.
func blendVertically(_ plane: inout Plane, rowAbove: inout [Float]) {
    var chroma = plane.columns
    guard rowAbove.count == chroma.count else { return }
    for x in chroma.indices { chroma[x] = blend(chroma[x], with: &rowAbove[x]) }
}

/// One column of the blend.
@inline(__always)
func blend(_ rows: Lanes, with rowAbove: inout Float) -> Lanes {
    let blended = (movedDown(rows, above: rowAbove) + rows) * Lanes(0.5)
    rowAbove = rows[rowsPerBlock - 1]
    return blended
}
