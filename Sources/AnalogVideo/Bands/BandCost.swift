/// The cost of the slabs of a picture, by which it is divided so that all bands take the same time.
///
/// The unit is the cost of a slab. A band also computes slabs of its neighbours, which the first and the last band have
/// on one side only, and rows with tracking noise are processed one by one.
struct BandCost: Sendable {
    private let slabCount: Int
    /// Number of slabs with tracking noise, which are the last ones.
    private let noisySlabs: Float
    /// Cost of the slabs above its own that each band but the first computes, and of those below that each band but the
    /// last computes.
    private let above, below: Float

    // Measured with the default settings and with those of Tests/Golden/presets/everything.json, which differ little.
    private static let encoding: Float = 0.4
    private static let decodingChroma: Float = 0.8
    private static let decoding: Float = 0.6
    /// Additional cost of a slab with tracking noise.
    private static let noise: Float = 0.5

    /// `noisyRows` are the rows of a field with tracking noise.
    init(slabCount: Int, reach: Reach, slabsLookedUp: Int, looksUpChromaOnly: Bool, noisyRows: Int) {
        self.slabCount = slabCount
        noisySlabs = min(Float(noisyRows) / Float(rowsPerBlock), Float(slabCount))
        let lookedUp = Float(slabsLookedUp) * (looksUpChromaOnly ? Self.decodingChroma : Self.decoding)
        above = Float(reach.above) * Self.encoding + lookedUp
        below = Float(reach.below) * Self.encoding
    }

    /// The slab after the first `count` of `bandCount` bands, rounded to the nearest.
    func end(ofBands count: Int, of bandCount: Int) -> Int {
        let slabs = Float(slabCount)
        guard count < bandCount else { return slabCount }
        let total = slabs + noisySlabs * Self.noise + Float(bandCount - 1) * (above + below)
        // The cost of the own slabs of the bands.
        let own = total * Float(count) / Float(bandCount) - Float(count - 1) * (above + below) - below
        let quiet = slabs - noisySlabs
        let end = own <= quiet ? own : quiet + (own - quiet) / (1 + Self.noise)
        return Int(min(max(end, 0), slabs).rounded())
    }
}
