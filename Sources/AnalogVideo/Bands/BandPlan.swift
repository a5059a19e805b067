import AnalogVideoModel

/// Division of a picture into bands for the threads, and of a band into slabs for the cache.
///
/// A slab is one block of rows of each field; `FieldRun.rows(ofBlock:)` returns the rows of the picture in a block.
struct BandPlan: Sendable {
    let bandCount: Int
    private let slabCount: Int
    private let rowsPerSlab: Int
    /// Whether a band requires only one result of the slab above its own: chroma before the vertical blends.
    private let looksUpChromaOnly: Bool
    /// Number of slabs above its own that a band computes; a row can depend on rows above it.
    private let slabsLookedUp: Int
    /// Number of slabs above and below its own that a band reads.
    private let reach: Reach
    private let rowCount: Int
    /// Number of rows of vertically subsampled chroma.
    private let chromaRowCount: Int
    private let isChromaHalved: Bool
    private let chromaShift: Int
    private let fewestSlabs: Int
    private let cost: BandCost

    /// Minimum number of slabs in a band: 32 rows of each field, for any number of rows in a block.
    ///
    /// In a shorter band, the slab above and the copied rows are a large part of the work.
    private static let shortestBand = max(1, 32 / rowsPerBlock)

    /// Largest useful number of bands for pictures of `height` rows in two fields.
    static func mostBands(height: Int) -> Int { (height / 2) / rowsPerBlock / shortestBand }

    /// Divides a picture into at most `bands` bands.
    init(_ upper: PlayerJob.Field, _ lower: PlayerJob.Field, _ picture: Picture, bands: Int) {
        let layout = picture.layout
        let run = upper.run
        isChromaHalved = layout.format.yuv?.verticalShift == 1
        slabCount = max(run.blockCount, lower.run.blockCount)
        rowsPerSlab = rowsPerBlock * run.rowStep
        rowCount = layout.height
        chromaRowCount = picture.rowCounts[1]
        chromaShift = run.fillsOtherRows && run.firstRow == 0 ? 1 : 0
        // Whether a row depends on the output of the row above it.
        let looksUpPicture = run.fillsOtherRows || (isChromaHalved && layout.colour.isCositedVertically)
        let rowsLookedUp = upper.path.chromaRowsAbove + (looksUpPicture ? 1 : 0)
        slabsLookedUp = blocks(rowsLookedUp)
        // If luma and chroma are combined again before the last vertical blend, chroma depends on luma.
        looksUpChromaOnly = rowsLookedUp > 0 && !looksUpPicture && upper.path.generations?.mixesRows != true
        reach = Reach(upper.path.reach, lower.path.reach, lookedUp: slabsLookedUp)
        fewestSlabs = max(Self.shortestBand, reach.above, reach.below)
        bandCount = max(1, min(bands, slabCount / fewestSlabs))
        cost = BandCost(
            slabCount: slabCount, reach: reach, slabsLookedUp: slabsLookedUp, looksUpChromaOnly: looksUpChromaOnly,
            noisyRows: max(upper.path.trackingNoise?.rowCount ?? 0, lower.path.trackingNoise?.rowCount ?? 0))
    }

    subscript(band: Int) -> Band {
        let slabs = end(ofBands: band)..<end(ofBands: band + 1)
        return Band(
            slabs: slabs, computedSlabs: max(0, slabs.lowerBound - slabsLookedUp)..<slabs.upperBound,
            rows: InlineArray { plane in plane > 0 && isChromaHalved ? chromaRows(of: slabs) : rows(of: slabs) })
    }

    /// The slab after the first `count` bands.
    private func end(ofBands count: Int) -> Int {
        var end = 0
        for band in 0..<count {
            let later = bandCount - 1 - band
            end = max(end + fewestSlabs, cost.end(ofBands: band + 1, of: bandCount))
            end = min(end, slabCount - later * fewestSlabs)
        }
        return end
    }

    /// Whether a band plays all stages of a slab; `isOwn` is false for the slab above its own.
    func playsAllStages(ofOwn isOwn: Bool) -> Bool { isOwn || !looksUpChromaOnly }

    private func rows(of slabs: Range<Int>) -> BandRows {
        let own = min(slabs.lowerBound * rowsPerSlab, rowCount)..<min(slabs.upperBound * rowsPerSlab, rowCount)
        return BandRows(
            own: own, reachAbove: reach.above * rowsPerSlab, reachBelow: reach.below * rowsPerSlab, rowCount: rowCount)
    }

    private func chromaRows(of slabs: Range<Int>) -> BandRows {
        let written = writtenChromaRows(ofSlabs: slabs)
        let end = slabs.upperBound == slabCount ? max(written.lowerBound, chromaRowCount) : written.upperBound
        // If chroma rows alternate between the fields, the next row of a field is two rows away, so 2 is added.
        return BandRows(
            own: (written.lowerBound..<end).clamped(to: 0..<chromaRowCount),
            reachAbove: reach.above * rowsPerSlab / 2 + 2, reachBelow: reach.below * rowsPerSlab / 2 + 2,
            rowCount: chromaRowCount)
    }

    /// Rows of vertically subsampled chroma that are written with `slabs`.
    ///
    /// In an upper field, the filled row above the first row of a slab belongs to chroma above the slab.
    func writtenChromaRows(ofSlabs slabs: Range<Int>) -> Range<Int> {
        let lower = max(0, (slabs.lowerBound * rowsPerSlab) / 2 - chromaShift)
        return lower..<max(lower, (slabs.upperBound * rowsPerSlab) / 2 - chromaShift)
    }
}

/// Divides the slabs of a picture so that all bands cost the same time; the unit is the cost of a slab.
///
/// A band also computes slabs of its neighbours, but the first and the last band have only one neighbour. Slabs with
/// tracking noise cost more, because their rows are processed one by one.
struct BandCost: Sendable {
    private let slabCount: Int
    /// Number of slabs with tracking noise, at the end of the picture.
    private let noisySlabs: Float
    /// Cost of the slabs above its own that each band except the first computes, and of those below that each band
    /// except the last computes.
    private let above, below: Float

    // Measured costs, which are nearly the same with the default settings and Tests/Golden/presets/everything.json.
    private static let encoding: Float = 0.4
    private static let decodingChroma: Float = 0.8
    private static let decoding: Float = 0.6
    /// Additional cost of a slab with tracking noise.
    private static let noise: Float = 0.5

    /// `noisyRows` is the number of rows of a field with tracking noise.
    init(slabCount: Int, reach: Reach, slabsLookedUp: Int, looksUpChromaOnly: Bool, noisyRows: Int) {
        self.slabCount = slabCount
        noisySlabs = min(Float(noisyRows) / Float(rowsPerBlock), Float(slabCount))
        let lookedUp = Float(slabsLookedUp) * (looksUpChromaOnly ? Self.decodingChroma : Self.decoding)
        above = Float(reach.above) * Self.encoding + lookedUp
        below = Float(reach.below) * Self.encoding
    }

    /// The slab after the first `count` of `bandCount` bands, rounded to nearest.
    func end(ofBands count: Int, of bandCount: Int) -> Int {
        let slabs = Float(slabCount)
        guard count < bandCount else { return slabCount }
        let total = slabs + noisySlabs * Self.noise + Float(bandCount - 1) * (above + below)
        // Cost of the own slabs of the first `count` bands.
        let own = total * Float(count) / Float(bandCount) - Float(count - 1) * (above + below) - below
        let quiet = slabs - noisySlabs
        let end = own <= quiet ? own : quiet + (own - quiet) / (1 + Self.noise)
        return Int(min(max(end, 0), slabs).rounded())
    }
}
