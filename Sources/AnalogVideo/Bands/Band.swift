/// The part of a picture that one thread plays; `BandPlan` divides a picture into bands.
struct Band: Sendable {
    /// Slabs that the band writes to the picture.
    let slabs: Range<Int>
    /// Slabs that the band computes: its own and, if a row depends on the row above it, the slab above.
    let computedSlabs: Range<Int>
    /// Rows that the band reads, for each plane.
    let rows: InlineArray<3, BandRows>
}

/// Ranges of rows of one plane that a band reads.
struct BandRows: Sendable {
    /// Rows that the band also writes.
    var own = 0..<0
    /// Rows of other bands, directly above and below its own.
    var above = 0..<0
    var below = 0..<0

    init() {}

    /// Includes up to `reachAbove` and `reachBelow` rows beyond `own`, in a plane of `rowCount` rows.
    init(own: Range<Int>, reachAbove: Int, reachBelow: Int, rowCount: Int) {
        self.own = own
        above = max(own.lowerBound - reachAbove, 0)..<own.lowerBound
        below = own.upperBound..<max(own.upperBound, min(own.upperBound + reachBelow, rowCount))
    }
}
