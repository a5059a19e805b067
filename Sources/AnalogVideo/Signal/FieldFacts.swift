import AnalogVideoModel

/// Properties of a field that the stages share; see docs/NTSC.md, "Sampling rate and scale".
struct FieldFacts: Sendable {
    /// Number of samples in a row.
    let width: Int
    let rowCount: Int
    /// Frame number of the field, a part of most seeds.
    var frame: UInt64
    private(set) var seed: Int32
    /// Television standard of the signal.
    let standard: TelevisionStandard
    /// Whether the format of the picture has colour; otherwise the stages of chroma are skipped.
    let hasColour: Bool
    /// Factor of all lengths along the row; 1 is for a picture of 480 rows, or 576 in PAL and SECAM.
    let horizontalScale: Float
    /// Factor of all numbers of rows; 1 is for a picture of 480 rows, or 576 in PAL and SECAM.
    let verticalScale: Float

    /// `pictureHeight` is the height of the whole picture, even if the field has half of its rows.
    init(width: Int, pictureHeight: Int, hasColour: Bool = true, run: FieldRun, settings: NTSCSettings) {
        self.width = width
        self.hasColour = hasColour
        rowCount = run.rowCount
        frame = run.frame
        seed = settings.randomSeed
        standard = settings.standard
        guard settings.scaleSettings else {
            horizontalScale = 1
            verticalScale = 1
            return
        }
        let sizeScale = settings.scaleWithVideoSize ? Float(pictureHeight) / standard.pictureRows : 1
        horizontalScale = settings.bandwidthScale * sizeScale
        verticalScale = settings.verticalScale * sizeScale
    }

    /// Sample rate for the design of filters, in hertz.
    var sampleRate: Float { standard.sampleRate * horizontalScale }

    /// `rows` times the vertical scale, rounded to nearest, halves away from zero.
    func scaledRows(_ rows: Int32) -> Int {
        Int(wholeNumber((Float(rows) * verticalScale).rounded(.toNearestOrAwayFromZero)))
    }

    /// Number of the line of a row in the field; a scaled field has the lines of a small one.
    func lineInField(ofRow row: Int) -> Int { Int(wholeNumber((Float(row) / verticalScale).rounded(.down))) }

    /// Number of the line of a row, since the first row of field 0.
    func line(ofRow row: Int) -> Double {
        Double(frame) * standard.linesPerField + Double(lineInField(ofRow: row))
    }

    /// The field in a later recording, which has its own random numbers; the first one is 0.
    func inGeneration(_ generation: Int) -> FieldFacts {
        var later = self
        // The golden ratio times 2^32, so that the seeds of no few recordings are those of neighbouring `random-seed`.
        later.seed &+= Int32(bitPattern: 2_654_435_769) &* Int32(truncatingIfNeeded: generation)
        return later
    }

    /// Seed of a random stream in this field.
    func seeds(_ stage: NoiseStage) -> SeedHash { SeedHash(seed: seed, stage: stage).adding(frame) }
}
