import AnalogVideoModel

/// Memory of one band: a block of rows, and the state that lasts from one block to the next.
struct Workspace: ~Copyable {
    var luma: Plane
    var chromaI: Plane
    var chromaQ: Plane
    /// Composite signal of the block.
    var composite: Plane
    /// Output of operations that cannot run in place.
    var spare: Plane
    /// Interpolated rows that are not in the field: `above` has I, and `below` has Q.
    var above: Plane
    var below: Plane
    /// Chroma of the upper field, until chroma of the lower field is computed.
    var heldBlue: Plane
    var heldRed: Plane
    /// Line of which the deflection shows a part.
    var line: Plane
    /// Weights of gradient noise, for two octaves.
    var weights: Plane
    /// State of the fields of a picture.
    var fields: InlineArray<2, FieldMemory>
    var keptRows: KeptRows

    /// Returns nil if memory is refused.
    init?(width: Int) {
        guard let luma = Plane(width: width), let chromaI = Plane(width: width), let chromaQ = Plane(width: width),
            let composite = Plane(width: width), let spare = Plane(width: width), let above = Plane(width: width),
            let below = Plane(width: width), let heldBlue = Plane(width: (width + 1) / 2),
            let heldRed = Plane(width: (width + 1) / 2), let line = Plane(width: 0),
            let weights = Plane(width: 2 * PeriodicNoise.weightCount)
        else { return nil }
        self.luma = luma
        self.chromaI = chromaI
        self.chromaQ = chromaQ
        self.composite = composite
        self.spare = spare
        self.above = above
        self.below = below
        self.heldBlue = heldBlue
        self.heldRed = heldRed
        self.line = line
        self.weights = weights
        fields = InlineArray { _ in FieldMemory(width: width) }
        keptRows = KeptRows()
    }

    /// Copies the rows of other bands that the band reads, and reserves memory; returns false if memory is refused.
    ///
    /// The player calls this method for all bands before any band writes.
    mutating func prepare(_ band: Band, of job: borrowing PlayerJob, source: Picture?) -> Bool {
        for field in 0..<job.fieldCount {
            let (reach, standard) = (job.fields[field].path.reach, job.fields[field].path.field.standard)
            guard fields[field].window.reserve(reach.windowBlockCount, combDistance: standard.combDistance) else {
                return false
            }
            fields[field].reserve(generations: job.fields[field].path.generationCount)
            if let count = job.fields[field].path.deflection?.lineWidth, line.readOnlyColumns.count != count {
                guard let longer = Plane(width: count) else { return false }
                line = longer
            }
        }
        return keptRows.keep(band, of: job.picture, source: source)
    }

    mutating func begin(field: Int, at block: Int) {
        fields[field].clear()
        fields[field].window.begin(at: block)
    }
}
