/// Replaces chroma of each row by its mean with the row above, as a comb filter with a delay line of one row does.
///
/// `rowAbove` holds the last row of the previous block and receives the last row of this one. For the first row of a
/// field, `rowAbove` is 0, so chroma of that row is halved. See docs/NTSC.md, "Vertical chroma blend".
func blendVertically(_ plane: inout Plane, rowAbove: inout [Float]) {
    var chroma = plane.columns
    guard rowAbove.count == chroma.count else { return }
    var rowAbove = rowAbove.mutableSpan
    for x in chroma.indices { chroma[x] = blend(chroma[x], with: &rowAbove[x]) }
}

@inline(__always)
func blend(_ rows: Lanes, with rowAbove: inout Float) -> Lanes {
    let blended = (movedDown(rows, above: rowAbove) + rows) * Lanes(0.5)
    rowAbove = rows[rowsPerBlock - 1]
    return blended
}
