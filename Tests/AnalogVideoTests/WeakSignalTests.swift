import Testing

@testable import AnalogVideo
@testable import AnalogVideoModel

/// Tests `snow-model=reception`; see docs/NTSC.md, "Snow".
struct WeakSignalTests {
    private static let grey: Float = 128 / 255

    private func settings(_ standard: TelevisionStandard, intensity: Float) -> NTSCSettings {
        var settings = CleanSignal.settings(standard)
        (settings.snowModel, settings.snowIntensity) = (.reception, intensity)
        return settings
    }

    /// Composite rows of both fields of a grey picture.
    private func rows(_ settings: NTSCSettings) throws -> [[Float]] {
        try CleanSignal.planes(settings) { _ in [128, 128, 128, 255] }.flatMap { try CleanSignal.rows($0, .snow) }
    }

    private func mean(_ values: [Float]) -> Float { values.reduce(0, +) / Float(values.count) }

    private func deviation(_ values: [Float]) -> Float {
        let mean = mean(values)
        return (values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Float(values.count)).squareRoot()
    }

    /// The mean is the grey times the part of the signal, and noise has three deviations in its part of the level.
    @Test(arguments: [TelevisionStandard.ntsc, .pal], [5, 20, 50] as [Float])
    func pictureFadesAsTheNoiseRises(standard: TelevisionStandard, intensity: Float) throws {
        let rows = try rows(settings(standard, intensity: intensity))
        let part = intensity / 100
        let expected = part / (3 * (standard == .ntsc ? 0.625 : 0.65))
        // The bandwidth of noise of a second-order filter is 1.11 times its cut-off, so the deviation is 1.05 times larger.
        let inRows = rows.map(deviation).reduce(0, +) / Float(rows.count)
        #expect(abs(inRows / expected - 1.05) < 0.06, "\(inRows) instead of \(expected)")
        #expect(abs(mean(rows.map(mean)) - (1 - part) * Self.grey) < 0.05 * part)
    }

    /// Samples that are 0.5 µs apart are independent: grain, and no streaks.
    @Test func grainIsFine() throws {
        for row in try rows(settings(.ntsc, intensity: 40)) {
            let mean = mean(row)
            let noise = row.map { $0 - mean }
            let power = zip(noise, noise).reduce(0) { $0 + $1.0 * $1.1 }
            let later = zip(noise, noise.dropFirst(7)).reduce(0) { $0 + $1.0 * $1.1 }
            // 256 independent samples have a correlation with a deviation of 1/16.
            #expect(abs(later / power) < 0.3)
        }
    }

    /// The clamp reads a few samples, so its error is a tenth to a quarter of the deviation of the noise.
    @Test func clampVariesTheBrightnessOfRows() throws {
        let rows = try rows(settings(.ntsc, intensity: 50))
        let ratio = deviation(rows.map(mean)) / deviation(rows[0])
        #expect((0.08...0.25).contains(ratio), "\(ratio)")
    }

    /// Mean magnitude of chroma of a grey picture.
    private func chroma(_ standard: TelevisionStandard, intensity: Float, noise: Bool = false) throws -> Double {
        var settings = settings(standard, intensity: intensity)
        settings.chromaNoise = noise
        let planes = try CleanSignal.planes(settings) { _ in [128, 128, 128, 255] }[0]
        let places = (1..<(CleanSignal.height / 2)).flatMap { row in (32..<224).map { (row, $0) } }
        return try places.reduce(0) {
            let chroma = try CleanSignal.chroma(planes, .chromaNoise, row: $1.0, column: $1.1)
            return $0 + (chroma.x * chroma.x + chroma.y * chroma.y).squareRoot() / Double(places.count)
        }
    }

    /// Points of colour grow with the noise, until the killer removes them; SECAM has none.
    @Test func aChannelWithoutAStationHasNoColour() throws {
        let (weak, weaker, none) = try (
            chroma(.ntsc, intensity: 20), chroma(.ntsc, intensity: 50), chroma(.ntsc, intensity: 100, noise: true)
        )
        #expect(weaker > 2 * weak && none == 0, "\(weak), \(weaker), \(none)")
        #expect(try chroma(.secam, intensity: 100) > 0.1)
    }

    @Test func rowsHaveDifferentNoise() throws {
        let rows = try rows(settings(.ntsc, intensity: 40))
        #expect(Set(rows.map { $0[100] }).count > rows.count - 3)
    }

    /// The sound of a tape is lost where the picture has streaks.
    @Test func receptionHasNoStreaks() {
        for (model, expected) in [(SnowModel.streaks, true), (.reception, false)] {
            var settings = settings(.ntsc, intensity: 50)
            settings.snowModel = model
            let run = FieldRun(firstRow: 0, rowStep: 2, rowCount: 240, frame: 0)
            let streaks = StreakStarts(settings, width: 640, pictureHeight: 480, run: run)
            #expect((0..<240).contains { streaks.column(inRow: $0) != nil } == expected)
        }
    }
}
