/// The part of a picture that one thread plays; `BandPlan` divides a picture into bands.
struct Band: Sendable {
    /// The slabs that the band writes to the picture.
    let slabs: Range<Int>
    /// The slabs that the band computes: its own and, if a row depends on the row above it, the slab above.
    let computedSlabs: Range<Int>
    /// The rows of each plane.
    let rows: InlineArray<3, BandRows>
}

/// Ranges of the rows of one plane that a band reads.
struct BandRows: Sendable {
    /// Rows that the band writes too.
    var own = 0..<0
    /// Rows of other bands, directly above and below its own.
    var above = 0..<0
    var below = 0..<0

    /// No rows.
    init() {}

    /// Up to `reachAbove` and `reachBelow` rows beyond `own`, in a plane of `rowCount` rows.
    init(own: Range<Int>, reachAbove: Int, reachBelow: Int, rowCount: Int) {
        self.own = own
        above = max(own.lowerBound - reachAbove, 0)..<own.lowerBound
        below = own.upperBound..<max(own.upperBound, min(own.upperBound + reachBelow, rowCount))
    }
}
