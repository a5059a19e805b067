import AnalogVideoModel

/// A horizontal shift of each row that varies smoothly from row to row and from frame to frame.
///
/// See docs/NTSC.md, "Edge wave".
struct EdgeWave: Sendable {
    private var seed: Int32
    private var start: Float
    private var time: Float
    private let speed: Float
    private let frequency: Float
    private let octaveCount: Int32
    private let amount: Float
    private let horizontalScale: Float

    init?(_ settings: NTSCSettings, _ field: FieldFacts) {
        guard settings.vhsSettings, settings.vhsEdgeWaveEnabled, settings.vhsEdgeWave > 0 else { return nil }
        (seed, start) = Self.seeds(field)
        speed = settings.vhsEdgeWaveSpeed
        time = Float(field.frame) * speed
        frequency = settings.vhsEdgeWaveFrequency / field.verticalScale
        octaveCount = min(max(settings.vhsEdgeWaveDetail, 1), 5)
        amount = settings.vhsEdgeWave
        horizontalScale = field.horizontalScale
    }

    mutating func begin(_ field: FieldFacts) { time = Float(field.frame) * speed }

    /// The wave of a later recording.
    func inGeneration(_ generation: Int, _ field: FieldFacts) -> EdgeWave {
        var later = self
        (later.seed, later.start) = Self.seeds(field.inGeneration(generation))
        return later
    }

    /// The frame number is a coordinate of the noise and not part of the seed, so that the wave moves continuously.
    private static func seeds(_ field: FieldFacts) -> (seed: Int32, start: Float) {
        let seeds = SeedHash(seed: field.seed, stage: .edgeWave)
        return (seeds.adding(0 as Int32).int32, seeds.adding(1 as Int32).unitFloat * Float(field.rowCount))
    }

    func shifts(block: Int) -> SwayedRows {
        let coordinates = noiseCoordinates(from: start, block: block)
        var rows = SwayedRows()
        for lane in 0..<rowsPerBlock {
            let shift = RowShift((wave(coordinates[lane]) / 0.022) * amount * 0.5 * horizontalScale)
            rows.set(lane, whole: shift.whole, fraction: shift.fraction)
        }
        return rows
    }

    private func wave(_ coordinate: Float) -> Float {
        let gain: Float = 0.70710677
        var x = coordinate * frequency
        var y = time * frequency
        var sum = simplexNoise(x, y, seed: seed)
        var amplitude = gain
        for _ in 1..<max(octaveCount, 1) {
            x *= 2
            y *= 2
            sum = sum.addingProduct(simplexNoise(x, y, seed: seed), amplitude)
            amplitude *= gain
        }
        return sum
    }
}
