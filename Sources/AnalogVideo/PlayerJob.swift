import AnalogVideoModel

/// One picture and how it is to be played: what the bands work on.
struct PlayerJob {
    /// A field of the picture and its way through the signal.
    struct Field {
        let run: FieldRun
        let path: SignalPath
    }

    let picture: Picture
    /// In the order of their rows; where there is only one, twice the same.
    let fields: InlineArray<2, Field>
    let fieldCount: Int
    var bandCount = 1

    init(_ picture: Picture, frame: UInt64, scan: Scan, _ settings: NTSCSettings, pictureHeight: Int) {
        let layout = picture.layout
        let (first, second) = FieldRun.plan(
            frame: frame, scan: scan, useField: settings.useField, height: layout.height)
        self.picture = picture
        fieldCount = second == nil ? 1 : 2
        fields = InlineArray { index in
            let run = index == 0 ? first : second ?? first
            let facts = FieldFacts(width: layout.width, pictureHeight: pictureHeight, run: run, settings: settings)
            return Field(run: run, path: SignalPath(settings, facts))
        }
    }

    // MARK: Slabs: a block of each field

    var slabCount: Int { max(fields[0].run.blockCount, fields[1].run.blockCount) }
    var rowsPerSlab: Int { rowsPerBlock * fields[0].run.rowStep }

    /// How many slabs above a band are played again, because a row looks up to the row above it.
    var slabsLookedUp: Int {
        fields[0].path.blendsVertically || fields[0].run.fillsOtherRows ? 1 : 0
    }

    /// How far above a band its signal comes from.
    var slabsAbove: Int { slabsLookedUp + max(fields[0].path.blocksAbove, fields[1].path.blocksAbove) }
    /// And how far below.
    var slabsBelow: Int { max(fields[0].path.blocksBelow, fields[1].path.blocksBelow) }

    // MARK: Bands

    func slabs(ofBand band: Int) -> Range<Int> {
        (band * slabCount / bandCount)..<((band + 1) * slabCount / bandCount)
    }

    /// The rows of the picture that a band shows.
    func rows(ofBand band: Int) -> Range<Int> {
        let slabs = slabs(ofBand: band)
        let height = picture.layout.height
        return min(slabs.lowerBound * rowsPerSlab, height)..<min(slabs.upperBound * rowsPerSlab, height)
    }
}
