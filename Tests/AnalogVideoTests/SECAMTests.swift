import Foundation
import Testing

@testable import AnalogVideo
@testable import AnalogVideoModel

/// SECAM: the frequencies of the carrier, the decoded colours, and the streaks of a broken carrier.
///
/// See docs/NTSC.md, "Frequency modulation" and docs/NTSC.md, "Discriminator".
struct SECAMTests {
    private static let rate = 17_734_475.0

    /// Colours as blue, green, red and padding.
    private static let colours: [[UInt8]] = [
        [128, 128, 128, 255], [160, 90, 90, 255], [80, 130, 190, 255], [90, 150, 60, 255], [40, 40, 170, 255],
    ]

    /// Mean chroma of a row in columns behind the transient at its beginning; the mean removes the dots of the carrier.
    private func meanChroma(_ planes: CleanSignal.Planes, _ stage: SignalStage, row: Int) throws -> (
        x: Double, y: Double
    ) {
        let columns = 160..<240
        var (x, y) = (0.0, 0.0)
        for column in columns {
            let chroma = try CleanSignal.chroma(planes, stage, row: row, column: column)
            (x, y) = (x + chroma.x / Double(columns.count), y + chroma.y / Double(columns.count))
        }
        return (x, y)
    }

    /// The decoded colour differs from the input by less than 1 % of its chroma; with none, by less than 0.003.
    @Test(arguments: colours)
    func coloursAreDecoded(colour: [UInt8]) throws {
        for planes in try CleanSignal.planes(CleanSignal.settings(.secam), pixel: { _ in colour }) {
            for row in 1..<(CleanSignal.height / 2) {
                let before = try CleanSignal.chroma(planes, .input, row: row)
                let after = try meanChroma(planes, .delayLine, row: row)
                let saturation = (before.x * before.x + before.y * before.y).squareRoot()
                let error = ((after.x - before.x) * (after.x - before.x) + (after.y - before.y) * (after.y - before.y))
                    .squareRoot()
                #expect(error < 0.01 * saturation + 0.003, "row \(row): \(before) and \(after)")
            }
        }
    }

    @Test func phaseErrorsHaveNoEffect() throws {
        var settings = CleanSignal.settings(.secam)
        let without = try CleanSignal.planes(settings)
        (settings.chromaPhaseError, settings.chromaPhaseNoiseIntensity) = (0.1, 0.5)
        let with = try CleanSignal.planes(settings)
        for field in 0..<2 { #expect(with[field][.delayLine] == without[field][.delayLine]) }
    }

    /// Frequency in hertz of the carrier in the middle of a row.
    private func frequency(_ planes: CleanSignal.Planes, row: Int) throws -> Double {
        let column = CleanSignal.width / 2
        let (one, other) = (
            try CleanSignal.chroma(planes, .frequencyModulation, row: row, column: column - 1),
            try CleanSignal.chroma(planes, .frequencyModulation, row: row, column: column)
        )
        // The phasor is I - jQ.
        let cross = -other.y * one.x + other.x * one.y
        let dot = other.x * one.x + other.y * one.y
        return Self.rate / 4 + atan2(cross, dot) / (2 * .pi) * Self.rate
    }

    /// The rows transmit Dr with 280 kHz around 4.40625 MHz, and Db with 230 kHz around 4.25 MHz, alternately.
    @Test(arguments: colours)
    func carriersHaveTheFrequenciesOfTheStandard(colour: [UInt8]) throws {
        for planes in try CleanSignal.planes(CleanSignal.settings(.secam), pixel: { _ in colour }) {
            var reds: [Bool] = []
            for row in 0..<(CleanSignal.height / 2) {
                let chroma = try CleanSignal.chroma(planes, .input, row: row)
                let (red, blue) = (4_406_250 + 280_000 * chroma.x, 4_250_000 + 230_000 * chroma.y)
                let found = try frequency(planes, row: row)
                #expect(min(abs(found - red), abs(found - blue)) < 2_000, "\(found) instead of \(red) or \(blue)")
                reds.append(abs(found - red) < abs(found - blue))
            }
            for row in reds.indices.dropFirst() { #expect(reds[row] != reds[row - 1]) }
        }
    }

    /// A row shows the component that it does not transmit as in the row above.
    @Test func delayLineRepeatsTheComponentOfTheRowAbove() throws {
        let planes = try CleanSignal.planes(CleanSignal.settings(.secam)) {
            [UInt8(60 + ($0 * 37) % 90), 100, UInt8(60 + ($0 * 61) % 90), 255]
        }
        for field in planes {
            for row in 1..<(CleanSignal.height / 2) {
                let own = try CleanSignal.chroma(field, .discriminator, row: row)
                let above = try CleanSignal.chroma(field, .discriminator, row: row - 1)
                let shown = try CleanSignal.chroma(field, .delayLine, row: row)
                #expect((shown.x, shown.y) == (own.x, above.x) || (shown.x, shown.y) == (above.x, own.x))
            }
            let first = try CleanSignal.chroma(field, .delayLine, row: 0)
            #expect(first.x == 0 && first.y == 0)
        }
    }

    /// Dr of a grey row whose carrier jumps by a phase, in radians, at column 256.
    private func decoded(jump: Float) throws -> [Float] {
        let width = 512
        let run = FieldRun(firstRow: 0, rowStep: 1, rowCount: rowsPerBlock, frame: 0)
        let facts = FieldFacts(
            width: width, pictureHeight: rowsPerBlock, run: run, settings: CleanSignal.settings(.secam))
        let modulation = try #require(FrequencyModulation(facts))
        let discriminator = try #require(Discriminator(facts))
        guard var planeI = Plane(width: width), var planeQ = Plane(width: width) else {
            Issue.record("no memory")
            return []
        }
        let isRed = Block<Int32>(repeating: -1)
        modulation.apply(to: &planeI, &planeQ, isRed: isRed)
        turn(&planeI, &planeQ, by: jump, from: width / 2)
        discriminator.apply(to: &planeI, planeQ, isRed: isRed)
        let columns = planeI.readOnlyColumns
        return columns.indices.map { columns[$0][0] }
    }

    /// Turns the phasor I - jQ.
    private func turn(_ planeI: inout Plane, _ planeQ: inout Plane, by angle: Float, from column: Int) {
        let (cosine, sine) = (Lanes(cosf(angle)), Lanes(sinf(angle)))
        var chromaI = planeI.columns
        var chromaQ = planeQ.columns
        for x in column..<chromaI.count {
            let (i, q) = (chromaI[x], chromaQ[x])
            (chromaI[x], chromaQ[x]) = (i * cosine + q * sine, q * cosine - i * sine)
        }
    }

    /// Number of columns from the largest value until 1/e of it.
    private func lengthOfStreak(_ values: [Float]) -> Int {
        let magnitudes = values.map(abs)
        guard let peak = magnitudes.max(), let place = magnitudes.firstIndex(of: peak) else { return 0 }
        return (magnitudes[place...].firstIndex { $0 < peak / 2.718 } ?? magnitudes.count) - place
    }

    /// The sum of the streak is the phase divided by the deviation, and it falls to 1/e in 1.87 µs or 33 columns.
    @Test func phaseThatJumpsIsAStreakToTheRight() throws {
        let values = try decoded(jump: .pi / 4)
        #expect(values[128..<256].allSatisfy { abs($0) < 0.02 })
        let expected = Double.pi / 4 / (2 * .pi * 280_000 / Self.rate)
        let sum = values[256...].reduce(0) { $0 + Double($1) }
        #expect(abs(sum - expected) < 0.01 * expected, "\(sum) and not \(expected)")
        #expect((20..<50).contains(lengthOfStreak(values)))
    }

    /// Half a turn breaks the carrier: the streak has as much chroma as the strongest colours.
    @Test func brokenCarriersAreStrongStreaks() throws {
        let values = try decoded(jump: .pi * 0.99)
        #expect(values.map(abs).max() ?? 0 > 0.5)
        #expect((20..<50).contains(lengthOfStreak(values)))
    }

    /// Frequencies of saturated colours are farther from the resonance of the receiver, so noise breaks them sooner.
    @Test func noiseIsStrongerInSaturatedColours() throws {
        var settings = CleanSignal.settings(.secam)
        (settings.compositeNoise, settings.compositeNoiseIntensity, settings.compositeNoiseFrequency) = (true, 0.3, 0.9)
        func error(_ colour: [UInt8]) throws -> Double {
            var sum = 0.0
            for planes in try CleanSignal.planes(settings, pixel: { _ in colour }) {
                for row in 1..<(CleanSignal.height / 2) {
                    for column in 60..<(CleanSignal.width - 8) {
                        let before = try CleanSignal.chroma(planes, .input, row: row, column: column)
                        let after = try CleanSignal.chroma(planes, .delayLine, row: row, column: column)
                        sum += (after.x - before.x) * (after.x - before.x) + (after.y - before.y) * (after.y - before.y)
                    }
                }
            }
            return sum
        }
        let grey = try error([128, 128, 128, 255])
        #expect(try error([200, 20, 20, 255]) > grey && error([20, 20, 200, 255]) > grey)
    }
}
