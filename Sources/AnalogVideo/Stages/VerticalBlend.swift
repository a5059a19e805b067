#if arch(arm64)
    /// A column of the block above, of which only the last row is used: to store one lane takes more instructions.
    typealias SampleAbove = Lanes
#else
    /// The sample of a column in the last row of the block above.
    typealias SampleAbove = Float
#endif

/// Replaces chroma of each row by its mean with the row above, as a comb filter with a delay line of one row does.
///
/// `rowAbove` holds the last row of the previous block and receives the last row of this one. For the first row of a
/// field, `rowAbove` is 0, so chroma of that row is halved. See docs/NTSC.md, "Vertical chroma blend".
func blendVertically(_ plane: inout Plane, rowAbove: inout [SampleAbove]) {
    var chroma = plane.columns
    guard rowAbove.count == chroma.count else { return }
    var rowAbove = rowAbove.mutableSpan
    for x in chroma.indices { chroma[x] = blend(chroma[x], with: &rowAbove[x]) }
}

@inline(__always)
func blend(_ rows: Lanes, with above: inout SampleAbove) -> Lanes {
    #if arch(arm64)
        let blended = (movedDown(rows, above: above[rowsPerBlock - 1]) + rows) * Lanes(0.5)
        above = rows
    #else
        let blended = (movedDown(rows, above: above) + rows) * Lanes(0.5)
        above = rows[rowsPerBlock - 1]
    #endif
    return blended
}
