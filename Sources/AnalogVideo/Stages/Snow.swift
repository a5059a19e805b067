import AnalogVideoModel

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// Short bright and dark streaks, spread over the picture or concentrated in some rows; see docs/NTSC.md, "Snow".
struct Snow: Sendable {
    private var seeds: SeedHash
    private let speckles: Speckles

    init?(_ settings: NTSCSettings, _ field: FieldFacts) {
        guard settings.snowModel == .streaks, settings.snowIntensity > 0, field.horizontalScale > 0 else { return nil }
        seeds = field.seeds(.snow)
        speckles = Speckles(
            amount: settings.snowIntensity * 0.01, anisotropy: settings.snowAnisotropy,
            horizontalScale: field.horizontalScale)
    }

    mutating func begin(_ field: FieldFacts) { seeds = field.seeds(.snow) }

    func add(to plane: inout Plane, firstRow: Int, rowCount: Int) {
        for lane in 0..<min(rowsPerBlock, rowCount - firstRow) {
            var generator = Generator(seeds.adding(UInt64(firstRow + lane)))
            speckles.add(to: &plane, lane: lane, generator: &generator)
        }
    }

    /// First column of a row that a streak covers; nil if there is none.
    func firstColumn(ofRow row: Int, width: Int) -> Int? {
        var generator = Generator(seeds.adding(UInt64(row)))
        return speckles.firstColumn(width: width, generator: &generator)
    }
}

/// Streaks in one row; see docs/NTSC.md, "Streaks".
///
/// A generator determines their positions, and a copy of it determines their grain.
struct Speckles: Sendable {
    let amount: Float
    /// Distribution over the rows: 0 is even, 1 concentrates streaks in a few rows.
    let anisotropy: Float
    let horizontalScale: Float

    func add(to plane: inout Plane, lane: Int, generator: inout Generator) {
        let row = plane.row(lane)
        let density = density(generator.nextDouble())
        guard density > 0 else { return }
        let width = row.count
        var position = -64
        while true {
            position += generator.geometric(density)
            guard position < width else { return }
            let length = generator.uniform(8, 64) * horizontalScale
            let period = generator.uniform(length * 3, length * 5)
            generator.jump()
            var grain = generator
            let end = min(position + Int(wholeNumber(length.rounded(.up))), width)
            for x in max(position, 0)..<max(position, 0, end) {
                let along = Float(x - position)
                let fade = 1 - along / length
                row[x] += (cosf((along * pi) / period) * (fade * fade)) * grain.uniform(-1, 2)
            }
            position += 1
        }
    }

    /// First column that a streak covers, of the streaks that `add` draws; nil if there is none.
    func firstColumn(width: Int, generator: inout Generator) -> Int? {
        let density = density(generator.nextDouble())
        guard density > 0 else { return nil }
        var position = -64
        while true {
            position += generator.geometric(density)
            guard position < width else { return nil }
            let length = generator.uniform(8, 64) * horizontalScale
            if position + Int(wholeNumber(length.rounded(.up))) > 0 { return max(position, 0) }
            _ = generator.uniform(length * 3, length * 5)
            generator.jump()
            position += 1
        }
    }

    /// Probability that a streak starts at a sample of a row; `draw` is a random number from 0 to 1.
    private func density(_ draw: Double) -> Double {
        let amount = Double(amount)
        let anisotropy = Double(anisotropy)
        let logistic = exp((draw - amount) / (amount * (1 - amount) * (1 - anisotropy)))
        let density = (anisotropy / (1 + logistic) + amount * (1 - anisotropy)) * 0.125
        return density.isNaN ? 0 : min(max(density, 0), 1)
    }
}
