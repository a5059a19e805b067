import Foundation
import SignalSupport
import Testing

@testable import AnalogVideo
@testable import AnalogVideoModel

/// Settings that the reference lacks, on known signals; docs/NTSC.md, "Presets", lists them.
struct OwnSettingTests {
    private static let (width, height) = (CleanSignal.width, CleanSignal.height)
    private static let middle = width / 2

    private static func pixels(_ pixel: (_ x: Int, _ y: Int) -> [UInt8]) -> [UInt8] {
        (0..<height).flatMap { y in (0..<width).flatMap { x in pixel(x, y) } }
    }

    private static func planes(_ settings: NTSCSettings, _ pixels: [UInt8]) throws -> CleanSignal.Planes {
        try PlaneRecorder.planes(settings, width: width, height: height, pixels: pixels)[0]
    }

    private static func row(
        _ planes: CleanSignal.Planes, _ stage: SignalStage, plane: Int, _ row: Int = 4
    ) throws -> [Float] {
        try CleanSignal.rows(planes, stage, plane: plane)[row]
    }

    // MARK: Black line

    @Test(arguments: TelevisionStandard.allCases)
    func blackLineCutsTheLastColumns(standard: TelevisionStandard) throws {
        var settings = CleanSignal.settings(standard)
        let picture = Self.pixels { _, _ in [60, 120, 180, 255] }
        let whole = try Self.planes(settings, picture)
        settings.blackLineCut = 0.05
        let cut = try Self.planes(settings, picture)
        // 5 % of 256 columns are 12.8.
        for plane in 0..<3 {
            let (before, after) = try (
                Self.row(whole, .input, plane: plane), Self.row(cut, .input, plane: plane)
            )
            #expect(after[..<(Self.width - 12)] == before[..<(Self.width - 12)])
            #expect(before.allSatisfy { $0 != 0 })
            #expect(after[(Self.width - 12)...].allSatisfy { $0 == 0 })
        }
    }

    // MARK: Chroma delay

    /// The first stage after which chroma is elsewhere.
    @Test(arguments: TelevisionStandard.allCases, ChromaDelayPosition.allCases)
    func chromaMovesAtItsPosition(standard: TelevisionStandard, position: ChromaDelayPosition) throws {
        var settings = CleanSignal.settings(standard)
        let edge = Self.pixels { x, _ in x < Self.middle ? [128, 128, 128, 255] : [60, 120, 180, 255] }
        let still = try Self.planes(settings, edge)
        (settings.chromaDelayHorizontal, settings.chromaDelayPosition) = (8, position)
        let moved = try Self.planes(settings, edge)
        let stages = SignalStage.allCases.filter { moved[$0]?[1] != still[$0]?[1] }
        let expected: SignalStage =
            switch position {
            case .receiver: .chromaDelay
            case .input: .input
            case .output: .output
            }
        #expect(stages.first == expected)
        // The edge is 8 columns further to the right.
        let (before, after) = try (
            Self.row(still, expected, plane: 1), Self.row(moved, expected, plane: 1)
        )
        #expect(after[8...] == before[..<(Self.width - 8)])
    }

    // MARK: Burst lock

    @Test(arguments: [TelevisionStandard.ntsc, .pal], [false, true])
    func shiftedRowsKeepTheirHueWithBurstLock(standard: TelevisionStandard, isLocked: Bool) throws {
        var settings = CleanSignal.settings(standard)
        (settings.palDecoder, settings.burstLock) = (.simple, isLocked)
        (settings.headSwitching, settings.headSwitchingStartMidLine) = (true, false)
        (settings.trackingNoise, settings.trackingNoiseHeight) = (true, 16)
        (settings.trackingNoiseSnowIntensity, settings.trackingNoiseNoiseIntensity) = (0, 0)
        let planes = try CleanSignal.planes(settings)[0]
        let reference = try CleanSignal.chroma(planes, .lumaIntoChroma, row: 2)
        let errors = try (8..<(Self.height / 2)).map { row in
            let chroma = try CleanSignal.chroma(planes, .lumaIntoChroma, row: row, column: Self.middle)
            return hypot(chroma.x - reference.x, chroma.y - reference.y)
        }
        let largest = try #require(errors.max())
        #expect(isLocked ? largest < 1e-4 : largest > 0.1, "\(errors)")
    }

    @Test func lockedShiftIsTheNearestWholePeriod() {
        for (shift, whole) in [(0, 0), (1.9, 0), (2, 4), (5.9, 4), (-1.9, 0), (-2, -4), (71, 72)] as [(Float, Int)] {
            let locked = RowShift(shift, isInPeriods: true)
            let expected = RowShift(Float(whole))
            #expect(locked.whole == expected.whole && locked.fraction == expected.fraction, "\(shift)")
        }
    }

    // MARK: Demodulation

    @Test(arguments: TelevisionStandard.allCases)
    func withoutDemodulationTheCarrierStaysInLuma(standard: TelevisionStandard) throws {
        var settings = CleanSignal.settings(standard)
        (settings.chromaDemodulation, settings.chromaNoise) = (.none, true)
        let planes = try CleanSignal.planes(settings)[0]
        #expect(planes[.lumaIntoChroma]?[0] == planes[.trackingNoise]?[0])
        for plane in 1...2 {
            let chroma = try Self.row(planes, .chromaLowpassOut, plane: plane)
            #expect(chroma.allSatisfy { $0 == 0 })
        }
        let luma = try Self.row(planes, .chromaLowpassOut, plane: 0)
        #expect(abs(luma[Self.middle] - luma[Self.middle + 2]) > 0.02)
    }

    // MARK: Recombination

    /// Detail of luma, here noise in a grey picture, has frequencies of the carrier, which are decoded as chroma.
    @Test(arguments: [TelevisionStandard.ntsc, .pal])
    func recombinationTurnsDetailIntoColour(standard: TelevisionStandard) throws {
        var settings = CleanSignal.settings(standard)
        (settings.lumaNoise, settings.lumaNoiseIntensity) = (true, 0.2)
        let grey = Self.pixels { _, _ in [128, 128, 128, 255] }
        let separate = try Self.planes(settings, grey)
        settings.ycRecombinations = 1
        let combined = try Self.planes(settings, grey)
        for plane in 1...2 {
            // At the left edge, the filters start at rest.
            let before = try Self.row(separate, .generations, plane: plane)[32...]
            let after = try Self.row(combined, .generations, plane: plane)[32...]
            #expect(before.allSatisfy { abs($0) < 0.001 })
            #expect(after.contains { abs($0) > 0.02 })
        }
    }

    @Test func recombinationKeepsColourOfAreas() throws {
        for standard in TelevisionStandard.allCases {
            for count: Int32 in [1, 8] {
                var settings = CleanSignal.settings(standard)
                settings.ycRecombinations = count
                let planes = try CleanSignal.planes(settings)[0]
                for plane in 0..<3 {
                    let (before, after) = try (
                        Self.row(planes, .chromaVerticalBlend, plane: plane),
                        Self.row(planes, .generations, plane: plane)
                    )
                    #expect(abs(after[Self.middle] - before[Self.middle]) < 1e-4, "\(standard), \(count)")
                }
            }
        }
    }

    // MARK: Generations

    /// Settings of a tape that changes nothing but chroma of neighbouring rows.
    private static func tape(_ standard: TelevisionStandard, generations: Int32) -> NTSCSettings {
        var settings = CleanSignal.settings(standard)
        (settings.vhsSettings, settings.vhsTapeSpeed, settings.vhsChromaVertBlend) = (true, .none, true)
        (settings.vhsEdgeWaveEnabled, settings.vhsChromaLoss, settings.palDecoder) = (false, 0, .simple)
        settings.generations = generations
        return settings
    }

    /// Each recording halves a row and the row above; after `n` of them, the weights are binomial coefficients.
    @Test(arguments: [TelevisionStandard.ntsc, .pal], 1...8)
    func chromaMovesDownWithEachGeneration(standard: TelevisionStandard, generations: Int) throws {
        let colour = 4
        // The picture has two fields; row 4 of each is coloured.
        let planes = try CleanSignal.planes(Self.tape(standard, generations: Int32(generations))) {
            $0 / 2 == colour ? [60, 120, 180, 255] : [128, 128, 128, 255]
        }[0]
        let chroma = try CleanSignal.chroma(planes, .tapeSharpen, row: colour)
        var weights = [1.0]
        for _ in 0..<generations { weights = zip([0] + weights, weights + [0]).map { ($0 + $1) / 2 } }
        let distance = standard == .ntsc ? 1 : 2
        for (number, weight) in weights.enumerated() where colour + number * distance < Self.height / 2 {
            let row = colour + number * distance
            let after = try CleanSignal.chroma(planes, .generations, row: row)
            #expect(abs(after.x - weight * chroma.x) < 1e-4 && abs(after.y - weight * chroma.y) < 1e-4, "row \(row)")
        }
    }

    /// The low-pass of the tape multiplies a sine by the same factor in each recording.
    @Test(arguments: TelevisionStandard.allCases)
    func detailIsLostWithEachGeneration(standard: TelevisionStandard) throws {
        let stripes = Self.pixels { x, _ in
            let level = UInt8(128 + 100 * cos(2 * Double.pi * Double(x) / 5))
            return [level, level, level, 255]
        }
        var amplitudes: [Double] = []
        for generations: Int32 in 1...4 {
            var settings = Self.tape(standard, generations: generations)
            (settings.vhsTapeSpeed, settings.vhsSharpenEnabled, settings.vhsChromaVertBlend) = (.ep, false, false)
            let luma = try Self.row(Self.planes(settings, stripes), .generations, plane: 0)[96..<156]
            let mean = luma.reduce(0, +) / Float(luma.count)
            amplitudes.append(Double(luma.map { ($0 - mean) * ($0 - mean) }.reduce(0, +)).squareRoot())
        }
        let ratios = zip(amplitudes.dropFirst(), amplitudes).map { $0 / $1 }
        #expect(ratios[0] < 0.95)
        for ratio in ratios { #expect(abs(ratio - ratios[0]) < 0.02 * ratios[0], "\(ratios)") }
    }

    /// Noise of independent recordings adds in power.
    @Test func noiseOfGenerationsIsIndependent() throws {
        let grey = Self.pixels { _, _ in [128, 128, 128, 255] }
        let powers = try [1, 4].map { (generations: Int32) in
            var settings = Self.tape(.ntsc, generations: generations)
            (settings.lumaNoise, settings.lumaNoiseIntensity) = (true, 0.1)
            let noisy = try Self.planes(settings, grey)
            settings.lumaNoise = false
            let clean = try Self.planes(settings, grey)
            let noise = try zip(#require(noisy[.generations])[0], #require(clean[.generations])[0])
                .map { try #require($0) - #require($1) }
            return noise.map { $0 * $0 }.reduce(0, +)
        }
        #expect(abs(powers[1] / powers[0] - 4) < 1, "\(powers)")
    }

    @Test func rowsLoseColourInEachGeneration() throws {
        let facts = FieldFacts(
            width: 4, pictureHeight: 480, run: FieldRun(firstRow: 0, rowStep: 2, rowCount: 240, frame: 7),
            settings: NTSCSettings())
        var settings = NTSCSettings()
        settings.vhsChromaLoss = 0.05
        let loss = try #require(ChromaLoss(settings, facts))
        var marks = [UInt8](repeating: 0, count: 240)
        var rows = marks.mutableSpan
        loss.chooseRows(&rows, facts, generations: 8)
        let chosen = (0..<8).map { generation in marks.map { ($0 >> generation) & 1 == 1 } }
        for (number, one) in chosen.enumerated() {
            #expect(one.contains(true))
            for other in chosen[..<number] { #expect(one != other) }
        }
        rows = marks.mutableSpan
        loss.chooseRows(&rows, facts, generations: 1)
        #expect(marks.map { $0 == 1 } == chosen[0])
    }

    @Test func copiesRequireATape() throws {
        var settings = Self.tape(.ntsc, generations: 8)
        settings.vhsSettings = false
        let facts = FieldFacts(
            width: 4, pictureHeight: 480, run: FieldRun(firstRow: 0, rowStep: 2, rowCount: 240, frame: 7),
            settings: settings)
        #expect(SignalPath(settings, facts).generations == nil)
        #expect(SignalPath(settings, facts).generationCount == 1)
    }
}
