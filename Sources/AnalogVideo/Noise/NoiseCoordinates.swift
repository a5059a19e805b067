// The noise has samples at start, start + 1, start + 2 and so on. The reference adds 8 to eight coordinates at a time,
// and the rounding of these sums affects the picture; see docs/NTSC.md, "Noise along a row". A vector has one lane for
// each row of a block. With sixteen rows, it holds two successive groups of eight coordinates; with four, half a group.

/// Coordinates of successive samples of one row, as many at a time as a block has rows.
struct SampleCoordinates {
    private(set) var current: Lanes

    #if arch(arm64)
        private var next: Lanes

        @inline(__always)
        init(from start: Float) {
            current = Lanes { start + Float($0) }
            next = Lanes { start + Float($0 + 4) }
        }

        @inline(__always)
        mutating func advance() { (current, next) = (next, current + Lanes(8)) }
    #else
        @inline(__always)
        init(from start: Float) {
            current = Lanes { start + Float($0 & 7) }
            for eight in 1..<max(eightsPerBlock, 1) {
                current.replace(with: current + Lanes(8), where: LaneMask(lanesFrom: 8 * eight))
            }
        }

        @inline(__always)
        mutating func advance() {
            for _ in 0..<eightsPerBlock { current += Lanes(8) }
        }
    #endif
}

#if !arch(arm64)
    private let eightsPerBlock = rowsPerBlock / 8

    extension LaneMask {
        fileprivate init(lanesFrom first: Int) {
            self.init(repeating: false)
            for lane in first..<rowsPerBlock { self[lane] = true }
        }
    }
#endif

/// Coordinates of the samples of block `block`, if the samples are the rows of a field.
func noiseCoordinates(from start: Float, block: Int) -> Lanes {
    var coordinates = SampleCoordinates(from: start)
    for _ in 0..<block { coordinates.advance() }
    return coordinates.current
}

/// Coordinates of successive columns, for rows with different starting points.
struct ColumnCoordinates {
    private var next: InlineArray<8, Lanes>

    @inline(__always)
    init(_ start: Lanes) { next = InlineArray { start + Lanes(Float($0)) } }

    /// Coordinates of column `x`; called once for each column, in order.
    @inline(__always)
    mutating func next(_ x: Int) -> Lanes {
        let coordinate = next[x & 7]
        next[x & 7] = coordinate + Lanes(8)
        return coordinate
    }
}
