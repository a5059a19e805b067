import AnalogVideoModel

/// Noise along each row, every row with a seed of its own.
struct RowNoise: Sendable {
    private let seeds: SeedHash
    private let width: Float
    private let frequency: Float
    private let octaveCount: Int32
    private let amount: Float

    /// `frequency` in lattice cells per sample before scaling.
    init?(
        _ stage: NoiseStage, _ field: FieldFacts, isOn: Bool, intensity: Float, frequency: Float, detail: Int32
    ) {
        guard isOn, intensity > 0 else { return nil }
        self.init(seeds: field.seeds(stage), field, intensity: intensity, frequency: frequency, detail: detail)
    }

    init(seeds: SeedHash, _ field: FieldFacts, intensity: Float, frequency: Float, detail: Int32) {
        self.seeds = seeds
        width = Float(field.width)
        self.frequency = frequency / field.horizontalScale
        octaveCount = min(max(detail, 1), 5)
        amount = intensity * 0.25
    }

    /// Adds noise to eight rows, each with the seed of its number.
    func add(to plane: inout Plane, firstRow: Int) {
        var seed = LaneBits(repeating: 0)
        var start = Lanes(0)
        for lane in 0..<rowsPerBlock {
            var generator = Generator(seeds.adding(UInt64(bitPattern: Int64(firstRow + lane))))
            seed[lane] = generator.nextUInt32()
            start[lane] = generator.nextFloat() * width
        }
        // One and two octaves are what presets use; a loop of known length is worth a fifth of the time.
        switch octaveCount {
        case 1: add(to: &plane, seed, start, octaveCount: 1)
        case 2: add(to: &plane, seed, start, octaveCount: 2)
        default: add(to: &plane, seed, start, octaveCount: octaveCount)
        }
    }

    @inline(__always)
    private func add(to plane: inout Plane, _ seed: LaneBits, _ start: Lanes, octaveCount: Int32) {
        var columns = plane.columns
        let frequency = Lanes(frequency)
        let amount = Lanes(amount)
        // The reference steps eight coordinates by eight; the rounding of those sums is part of the picture.
        var coordinates = InlineArray<8, Lanes> { start + Lanes(Float($0)) }
        for x in columns.indices {
            let coordinate = coordinates[x & 7]
            columns[x] += octaves(octaveCount, of: coordinate, frequency: frequency, seed: seed) * amount
            coordinates[x & 7] = coordinate + Lanes(8)
        }
    }

    /// Adds noise to one row, from the generator of that row.
    func add(to plane: inout Plane, lane: Int, generator: inout Generator) {
        var columns = plane.columns
        let seed = LaneBits(repeating: generator.nextUInt32())
        let start = generator.nextFloat() * width
        var coordinates = Lanes(start) + Lanes(0, 1, 2, 3, 4, 5, 6, 7)
        for first in stride(from: 0, to: columns.count, by: 8) {
            let noise =
                octaves(octaveCount, of: coordinates, frequency: Lanes(frequency), seed: seed) * Lanes(amount)
            for x in first..<min(first + 8, columns.count) { columns[x][lane] += noise[x - first] }
            coordinates += Lanes(8)
        }
    }
}
