// Noise is sampled at start, start + 1, start + 2 and so on. The reference adds 8 to eight coordinates at a time, and
// the rounding of these sums affects the picture; see docs/NTSC.md, "Noise along a row".

/// The eight coordinates of samples `8 * eight` to `8 * eight + 7`.
func noiseCoordinates(from start: Float, eight: Int) -> Lanes {
    var coordinates = Lanes(start) + Lanes(0, 1, 2, 3, 4, 5, 6, 7)
    for _ in 0..<eight { coordinates += Lanes(8) }
    return coordinates
}

/// The coordinates of successive columns, for eight rows with different starting points.
struct ColumnCoordinates {
    private var next: InlineArray<8, Lanes>

    @inline(__always)
    init(_ start: Lanes) { next = InlineArray { start + Lanes(Float($0)) } }

    /// The coordinates of column `x`; call it once for each column, in order.
    @inline(__always)
    mutating func next(_ x: Int) -> Lanes {
        let coordinate = next[x & 7]
        next[x & 7] = coordinate + Lanes(8)
        return coordinate
    }
}
