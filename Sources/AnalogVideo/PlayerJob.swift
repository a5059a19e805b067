import AnalogVideoModel

/// One picture with its fields and signal paths; the bands share it.
struct PlayerJob {
    /// A field of the picture with its signal path.
    struct Field {
        let index: Int
        let run: FieldRun
        let path: SignalPath
        let chromaStorage: ChromaStorage
        /// Whether a row of vertically subsampled chroma belongs to a row of this field and a row of the other field.
        let sharesChroma: Bool

        var rowsPerSlab: Int { rowsPerBlock * run.rowStep }

        /// The rows of vertically subsampled chroma that are written with `slabs`.
        ///
        /// In an upper field, the filled row above the first row of a slab belongs to chroma above the slab.
        func chromaRows(ofSlabs slabs: Range<Int>) -> Range<Int> {
            let shift = run.fillsOtherRows && run.firstRow == 0 ? 1 : 0
            let lower = max(0, (slabs.lowerBound * rowsPerSlab) / 2 - shift)
            return lower..<max(lower, (slabs.upperBound * rowsPerSlab) / 2 - shift)
        }

        /// Weight of the upper row in chroma sited between two rows of the field.
        var fillingAbovePart: Float { run.firstRow == 0 ? 0.75 : 0.25 }
    }

    let picture: Picture
    /// In the order of their rows; a single field is stored twice.
    let fields: InlineArray<2, Field>
    let fieldCount: Int
    var bandCount = 1

    init(_ picture: Picture, frame: UInt64, scan: Scan, _ settings: NTSCSettings, pictureHeight: Int) {
        let layout = picture.layout
        let (first, second) = FieldRun.plan(
            frame: frame, scan: scan, useField: settings.useField, height: layout.height)
        let storage: ChromaStorage =
            switch scan {
            case .interlaced, .oneField: .interleaved
            case .progressive: .progressive
            case .separateField(_, let isTop): .field(isTop: isTop)
            }
        let isHalved = layout.format.yuv?.verticalShift == 1
        self.picture = picture
        fieldCount = second == nil ? 1 : 2
        fields = InlineArray { index in
            let run = index == 0 ? first : second ?? first
            let facts = FieldFacts(
                width: layout.width, pictureHeight: pictureHeight, hasColour: layout.format != .gray8, run: run,
                settings: settings)
            return Field(
                index: index, run: run, path: SignalPath(settings, facts), chromaStorage: storage,
                sharesChroma: isHalved && second != nil && storage == .progressive)
        }
    }

    // MARK: Slabs

    var slabCount: Int { max(fields[0].run.blockCount, fields[1].run.blockCount) }
    var rowsPerSlab: Int { fields[0].rowsPerSlab }

    /// Number of slabs above a band that the band computes as well, because a row depends on the row above it.
    var slabsLookedUp: Int {
        let sitsAbove = picture.layout.format.yuv?.verticalShift == 1 && picture.layout.colour.isCositedVertically
        return fields[0].path.blendsVertically || fields[0].run.fillsOtherRows || sitsAbove ? 1 : 0
    }

    /// Number of slabs above a band whose input it reads.
    var slabsAbove: Int { slabsLookedUp + max(fields[0].path.blocksAbove, fields[1].path.blocksAbove) }
    /// Number of slabs below a band whose input it reads.
    var slabsBelow: Int { max(fields[0].path.blocksBelow, fields[1].path.blocksBelow) }

    // MARK: Bands

    func slabs(ofBand band: Int) -> Range<Int> {
        (band * slabCount / bandCount)..<((band + 1) * slabCount / bandCount)
    }

    /// The rows of the picture that a band writes.
    func rows(ofBand band: Int) -> Range<Int> {
        let slabs = slabs(ofBand: band)
        let height = picture.layout.height
        return min(slabs.lowerBound * rowsPerSlab, height)..<min(slabs.upperBound * rowsPerSlab, height)
    }

    /// The rows of vertically subsampled chroma that a band writes.
    func chromaRows(ofBand band: Int) -> Range<Int> {
        let rows = fields[0].chromaRows(ofSlabs: slabs(ofBand: band))
        return rows.lowerBound..<(band == bandCount - 1 ? max(rows.lowerBound, picture.rowCounts[1]) : rows.upperBound)
    }
}
