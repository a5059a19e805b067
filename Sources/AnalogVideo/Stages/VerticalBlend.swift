// Mean of chroma of two rows, as of a comb filter with a delay line; see docs/NTSC.md, "Delay line" and
// docs/NTSC.md, "Vertical chroma blend". The arrays hold the last rows of the previous block and receive those of this
// one. For the first rows of a field they are 0, so the vertical blend halves chroma of these rows.

#if arch(arm64)
    /// A column of the block above, of which only the last rows are used: to store one lane takes more instructions.
    typealias SampleAbove = Lanes
#else
    /// The sample of a column in one of the last rows of the block above.
    typealias SampleAbove = Float
#endif

/// Replaces each row by its mean with the row above.
func blend(_ plane: inout Plane, rowAbove: inout [SampleAbove]) {
    var chroma = plane.columns
    guard rowAbove.count == chroma.count else { return }
    var rowAbove = rowAbove.mutableSpan
    for x in chroma.indices { chroma[x] = blend(chroma[x], with: &rowAbove[x]) }
}

@inline(__always)
func blend(_ rows: Lanes, with above: inout SampleAbove) -> Lanes {
    (movedDown(rows, with: &above) + rows) * Lanes(0.5)
}

/// Moves rows down by one; `above` has the last row of the previous block, and receives that of this one.
@inline(__always)
func movedDown(_ rows: Lanes, with above: inout SampleAbove) -> Lanes {
    #if arch(arm64)
        let moved = movedDown(rows, above: above[rowsPerBlock - 1])
        above = rows
    #else
        let moved = movedDown(rows, above: above)
        above = rows[rowsPerBlock - 1]
    #endif
    return moved
}

/// Replaces each row by its mean with the row two rows above.
func blend(_ plane: inout Plane, rowAbove: inout [SampleAbove], twoAbove: inout [SampleAbove]) {
    var chroma = plane.columns
    guard rowAbove.count == chroma.count, twoAbove.count == chroma.count else { return }
    var rowAbove = rowAbove.mutableSpan
    var twoAbove = twoAbove.mutableSpan
    for x in chroma.indices {
        let rows = chroma[x]
        #if arch(arm64)
            // `rowAbove` holds both rows.
            let above = movedDown(
                movedDown(rows, above: rowAbove[x][rowsPerBlock - 1]), above: rowAbove[x][rowsPerBlock - 2])
            rowAbove[x] = rows
        #else
            let above = movedDown(movedDown(rows, above: rowAbove[x]), above: twoAbove[x])
            (twoAbove[x], rowAbove[x]) = (rows[rowsPerBlock - 2], rows[rowsPerBlock - 1])
        #endif
        chroma[x] = (above + rows) * Lanes(0.5)
    }
}
