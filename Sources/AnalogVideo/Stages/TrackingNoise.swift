import AnalogVideoModel

/// Shifts the lowest rows of a field and adds noise and streaks, as when video heads miss their track.
///
/// See docs/NTSC.md, "Tracking noise".
struct TrackingNoise: Sendable {
    private var field: FieldFacts
    private let height: Int
    private let waveIntensity: Float
    private let noiseIntensity: Float
    private let snowIntensity: Float
    private let snowAnisotropy: Float
    /// Whether the shift keeps the phase of the carrier.
    private let locksBurst: Bool
    private var seeds: SeedHash
    private var waveSeed: UInt32
    private var waveStart: Float

    init?(_ settings: NTSCSettings, _ field: FieldFacts) {
        guard settings.trackingNoise else { return nil }
        self.field = field
        height = field.scaledRows(settings.trackingNoiseHeight)
        waveIntensity = settings.trackingNoiseWaveIntensity
        noiseIntensity = settings.trackingNoiseNoiseIntensity
        snowIntensity = settings.trackingNoiseSnowIntensity
        snowAnisotropy = settings.trackingNoiseSnowAnisotropy
        locksBurst = settings.burstLock
        (seeds, waveSeed, waveStart) = Self.seeds(field)
    }

    mutating func begin(_ field: FieldFacts) {
        self.field = field
        (seeds, waveSeed, waveStart) = Self.seeds(field)
    }

    private static func seeds(_ field: FieldFacts) -> (SeedHash, waveSeed: UInt32, waveStart: Float) {
        let seeds = field.seeds(.tracking)
        return (
            seeds, UInt32(bitPattern: seeds.adding(0 as Int32).int32),
            seeds.adding(1 as Int32).unitFloat * Float(field.rowCount)
        )
    }

    /// Number of rows in the affected area.
    var rowCount: Int { min(max(height, 0), field.rowCount) }

    /// Shifts the rows of a block that are in the affected area, and adds noise and streaks.
    func apply(to plane: inout Plane, firstRow: Int) {
        for lane in 0..<min(rowsPerBlock, field.rowCount - firstRow) {
            // Index 0 is the uppermost affected row. The affected area may begin above the picture.
            let index = (firstRow + lane) - (field.rowCount - height)
            guard index >= 0 else { continue }
            let strength = Float(index) / Float(height)
            let rowsAbovePicture = max(0, height - field.rowCount)
            let wave = wave(index - rowsAbovePicture)
            let shift = wave * strength * waveIntensity * 0.25 * field.horizontalScale
            RowShift(shift, isInPeriods: locksBurst).apply(to: &plane, lane: lane)
            addGrain(to: &plane, lane: lane, index: index, strength: strength)
        }
    }

    private func addGrain(to plane: inout Plane, lane: Int, index: Int, strength: Float) {
        let rowSeeds = rowSeeds(index)
        let squared = strength * strength
        // As in the reference, grain and streaks start from generators of the same seed.
        var grainGenerator = Generator(rowSeeds)
        RowNoise(seeds: rowSeeds, field, intensity: squared * noiseIntensity * 4, frequency: 0.25, detail: 1)
            .add(to: &plane, lane: lane, generator: &grainGenerator)
        var snowGenerator = Generator(rowSeeds)
        speckles(strength).add(to: &plane, lane: lane, generator: &snowGenerator)
    }

    /// First column of a row of the field that a streak covers; nil if there is none.
    func firstColumn(ofRow row: Int, width: Int) -> Int? {
        let index = row - (field.rowCount - height)
        guard index >= 0 else { return nil }
        var generator = Generator(rowSeeds(index))
        return speckles(Float(index) / Float(height)).firstColumn(width: width, generator: &generator)
    }

    private func rowSeeds(_ index: Int) -> SeedHash { seeds.adding(2 as Int32).adding(UInt64(index)) }

    private func speckles(_ strength: Float) -> Speckles {
        Speckles(
            amount: snowIntensity * (strength * strength), anisotropy: snowAnisotropy,
            horizontalScale: field.horizontalScale)
    }

    /// Noise for the shift of a row; `index` is 0 for the uppermost affected row in the picture.
    private func wave(_ index: Int) -> Float {
        let coordinates = noiseCoordinates(from: waveStart, block: index / rowsPerBlock)
        return gradientNoise(coordinates * Lanes(0.5), seed: LaneBits(repeating: waveSeed))[index % rowsPerBlock]
    }
}
