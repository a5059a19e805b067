import AnalogVideoModel

/// What all stages know about the field they work on.
struct FieldFacts: Sendable {
    /// In samples.
    let width: Int
    let rowCount: Int
    /// The effect's own number of this field, which seeds its randomness.
    let frame: UInt64
    let seed: Int32
    /// Whether anybody will see colour; if not, nothing happens to chroma.
    let hasColour: Bool
    /// How much wider than on a 480-line set everything horizontal is.
    let horizontalScale: Float
    /// How much higher everything counted in rows is.
    let verticalScale: Float

    /// `pictureHeight` is the height of the whole picture, also where the field has half its rows.
    init(width: Int, pictureHeight: Int, hasColour: Bool = true, run: FieldRun, settings: NTSCSettings) {
        self.width = width
        self.hasColour = hasColour
        rowCount = run.rowCount
        frame = run.frame
        seed = settings.randomSeed
        guard settings.scaleSettings else {
            horizontalScale = 1
            verticalScale = 1
            return
        }
        let sizeScale = settings.scaleWithVideoSize ? Float(pictureHeight) / 480 : 1
        horizontalScale = settings.bandwidthScale * sizeScale
        verticalScale = settings.verticalScale * sizeScale
    }

    /// The rate the filters take a row to be sampled at, in hertz.
    var sampleRate: Float { Filter.sampleRate * horizontalScale }

    /// A number of rows, scaled and rounded half away from zero.
    func scaledRows(_ rows: Int32) -> Int {
        Int(wholeNumber((Float(rows) * verticalScale).rounded(.toNearestOrAwayFromZero)))
    }

    /// The seed string of a stage in this field.
    func seeds(_ stage: NoiseStage) -> SeedHash { SeedHash(seed: seed, stage: stage).adding(frame) }
}
