import AnalogVideoPlayer
import Foundation
import SignalSupport
import Testing

@testable import AnalogVideo
@testable import AnalogVideoModel

/// Tests the oscillators of the deflection; see docs/NTSC.md, "Deflection".
struct DeflectionTests {
    private static let seeds = SeedHash(seed: 0, stage: .lineSync)

    private func flywheel(_ hold: Float, gain: Double = 0.125, noise: Double = 0, edge: Double = 0) -> Flywheel {
        Flywheel(detuning: hold, gain: gain, memory: 48, noise: noise, edge: edge)
    }

    private func wraps(_ phases: [Double]) -> Int { zip(phases, phases.dropFirst()).count { abs($1 - $0) > 0.5 } }

    /// The closed form equals the numerical solution of Adler's equation.
    @Test(arguments: [-2.5, 1.05, 1.3, 4] as [Float])
    func phaseFollowsAdlersEquation(hold: Float) {
        let flywheel = flywheel(hold)
        var angle = 2 * .pi * flywheel.phase(after: 0, last: 0, Self.seeds)
        let step = 0.002
        for count in 1...300 {
            for _ in 0..<500 {
                func slope(_ angle: Double) -> Double { 0.125 * (Double(hold) - sin(angle)) }
                angle += step * slope(angle + step / 2 * slope(angle))
            }
            let difference = flywheel.phase(after: Double(count), last: count, Self.seeds) - angle / (2 * .pi)
            #expect(abs(difference - difference.rounded()) < 1e-4, "after \(count)")
        }
    }

    @Test(arguments: [-1, -0.5, 0, 0.5, 1] as [Float])
    func heldOscillatorHasAConstantPhase(hold: Float) {
        for count in [0.0, 1, 262.5, 1e6] {
            let phase = flywheel(hold).phase(after: count, last: 0, Self.seeds)
            #expect(abs(sin(2 * .pi * phase) - Double(hold)) < 1e-6)
        }
    }

    /// Edges that noise moves have the deviation of a filter of first order.
    @Test func edgesJitterAsBehindAFilter() {
        // Noise of a twentieth of the pulses is hardly ever taken for a pulse.
        let flywheel = flywheel(0, noise: 0.05, edge: 0.008)
        let phases = (0..<4_000).map { flywheel.phase(after: 0, last: $0, Self.seeds) }
        let deviation = (phases.reduce(0) { $0 + $1 * $1 } / 4_000).squareRoot()
        let expected = 0.05 * 0.008 * (0.125 / (2 - 0.125)).squareRoot()
        #expect(abs(deviation / expected - 1) < 0.15, "\(deviation) instead of \(expected)")
    }

    /// Below this noise no random number is a misfire, so neither rows nor pictures move.
    @Test func weakNoiseHasNoMisfires() {
        #expect(flywheel(0, noise: 0.094).isSteady)
        #expect(!flywheel(0, noise: 0.095).isSteady)
    }

    @Test(arguments: [Int.min, .min + 1, -1, .max])
    func everyFrameNumberHasAPhase(number: Int) {
        #expect((-0.5..<0.5).contains(flywheel(0, noise: 1).phase(after: 0, last: number, Self.seeds)))
    }

    /// Rows of a block share errors, also if a row is several lines, or several rows are one.
    @Test(arguments: [0, 1, 8, 63, 64, 100])
    func sharedErrorsAreThoseOfEachPulse(lines: Int) {
        let flywheel = flywheel(1.2, noise: 0.5, edge: 0.008)
        var errors = PulseErrors()
        for last in (0..<40).map({ $0 * lines }) {
            let phase = flywheel.phase(after: 7, last: last, Self.seeds, &errors)
            #expect(phase == flywheel.phase(after: 7, last: last, Self.seeds), "\(last)")
        }
    }

    /// A misfire moves the phase at once, and seven of eight parts of it remain in the next row.
    @Test func misfiresDecay() throws {
        let flywheel = flywheel(0, noise: 0.2)
        let phases = (0..<2_000).map { flywheel.phase(after: 0, last: $0, Self.seeds) }
        let errors = zip(phases, phases.dropFirst()).map { $1 - 0.875 * $0 }
        // 0.5 is two and a half deviations; a normal distribution exceeds it with the probability 0.0062.
        let misfires = errors.count { abs($0) > 1e-4 }
        #expect((4...24).contains(misfires), "\(misfires)")
        #expect(try #require(errors.map(abs).max()) > 0.01)
    }

    // MARK: Pictures

    private static let (width, height) = (CleanSignal.width, 480)

    /// Luma of both fields after `stage`; the picture is a bar, whose colour depends on the row, before `background`.
    private func planes(_ settings: NTSCSettings, _ stage: SignalStage, background: UInt8 = 0) throws -> [[Float?]] {
        try recorded(settings, background: background).map { try #require($0[stage])[0] }
    }

    private func recorded(_ settings: NTSCSettings, background: UInt8 = 0) throws -> [CleanSignal.Planes] {
        let pixels = (0..<(Self.width * Self.height)).flatMap { place -> [UInt8] in
            (60..<90).contains(place % Self.width)
                ? [90, UInt8(place / Self.width / 4 + 60), 60, 255] : [background, background, background, 255]
        }
        return try PlaneRecorder.planes(settings, width: Self.width, height: Self.height, pixels: pixels)
    }

    /// A detuning of a half displaces the picture by a twelfth of a line, which has 309 samples for 256 columns.
    @Test(arguments: [(TelevisionStandard.ntsc, Float(309)), (.pal, 315)])
    func heldPictureIsDisplaced(standard: TelevisionStandard, period: Float) throws {
        var settings = CleanSignal.settings(standard)
        settings.horizontalHold = 0.5
        for planes in try recorded(settings) {
            let before = try CleanSignal.rows(planes, .chromaLowpassOut).map(CleanSignal.centre)
            let after = try CleanSignal.rows(planes, .deflection).map(CleanSignal.centre)
            for row in stride(from: 0, to: 240, by: 30) { #expect(abs(after[row] - before[row] - period / 12) < 0.6) }
        }
    }

    /// A phase just below 0 plus 1 is 1, which is no shift.
    @Test func phaseJustBelowZeroMovesNothing() throws {
        var settings = CleanSignal.settings(.ntsc)
        settings.horizontalHold = -1e-18
        for planes in try recorded(settings) { #expect(planes[.deflection] == planes[.chromaLowpassOut]) }
    }

    /// In 240 lines, an oscillator with a detuning of 2 turns by 8.3 periods, and each shows the blanking.
    @Test func detunedPictureTears() throws {
        var settings = CleanSignal.settings(.ntsc)
        settings.horizontalHold = 2
        let luma = try planes(settings, .deflection, background: 90)[0]
        let isBlack = (0..<240).map { luma[$0 * Self.width + 200] == 0 }
        let begins = zip(isBlack, isBlack.dropFirst()).count { !$0 && $1 }
        #expect((7...9).contains(begins), "\(begins)")
        let flywheel = flywheel(2)
        let phases = (0..<240).map { flywheel.phase(after: Double($0), last: 0, Self.seeds) }
        #expect((8...9).contains(wraps(phases)))
    }

    /// A detuning of a half moves the picture down by a twelfth of 263 rows; above is the blanking.
    @Test func heldPictureIsDisplacedDownward() throws {
        var settings = CleanSignal.settings(.ntsc)
        let before = try planes(settings, .input)
        settings.verticalHold = 0.5
        let after = try planes(settings, .input)
        for (one, other) in zip(before, after) {
            #expect(other[..<(22 * Self.width)].allSatisfy { $0 == 0 })
            #expect(Array(other[(22 * Self.width)...]) == Array(one[..<(218 * Self.width)]))
        }
    }

    private func offset(_ settings: NTSCSettings, frame: UInt64) throws -> Int {
        let run = FieldRun(firstRow: 0, rowStep: 1, rowCount: 240, frame: frame)
        let field = FieldFacts(width: 8, pictureHeight: 480, run: run, settings: settings)
        let roll = try #require(VerticalRoll(settings, field))
        let rows = (0..<run.blockCount).flatMap { block in
            let rows = roll.rows(ofBlock: block, run)
            return (0..<rowsPerBlock).map { rows[$0] }
        }
        let found = try #require(rows.firstIndex { $0 != nil })
        let first = try #require(rows[found]) - found
        // The rows follow each other, and 23 are in the blanking.
        for (place, row) in rows.enumerated() {
            guard let row else { continue }
            #expect((row - place - first + 526) % 263 == 0)
        }
        return (263 - first) % 263
    }

    /// In 200 fields, an oscillator with a detuning of 1.2 turns by 5.3 periods; it hesitates where it was held.
    @Test func detunedPictureRolls() throws {
        var settings = CleanSignal.settings(.ntsc)
        settings.verticalHold = 1.2
        let offsets = try (0..<200).map { try offset(settings, frame: $0) }
        let steps = zip(offsets, offsets.dropFirst()).map { ($1 - $0 + 263) % 263 }
        #expect((5...6).contains(zip(offsets, offsets.dropFirst()).count { $1 < $0 }))
        let (least, most) = try (#require(steps.min()), #require(steps.max()))
        #expect(least >= 1 && most > 4 * least && most < 30, "\(least) to \(most)")
    }

    /// A picture jumps only if noise exceeds the added pulses, which are stronger than those of lines.
    @Test func picturesJumpInStrongNoise() throws {
        var settings = CleanSignal.settings(.ntsc)
        // Without a roll, the player does not copy the picture.
        settings.syncNoise = 0.56
        let run = FieldRun(firstRow: 0, rowStep: 1, rowCount: 240, frame: 0)
        let field = FieldFacts(width: 8, pictureHeight: 480, run: run, settings: settings)
        #expect(VerticalRoll(settings, field) == nil)
        settings.syncNoise = 0.6
        #expect(try (0..<100).allSatisfy { try offset(settings, frame: $0) == 0 })
        settings.syncNoise = 2
        let offsets = try (0..<100).map { try offset(settings, frame: $0) }
        #expect(offsets.contains { $0 > 2 } && offsets.contains(0))
    }

    // MARK: Formats and threads

    /// Subsampled chroma moves with its rows: the picture is that of rows that were moved before they are played.
    @Test(arguments: [Scan.progressive, .interlaced(topFieldFirst: true)], GoldenFrameTests.variants)
    func rolledChromaIsThatOfItsRows(scan: Scan, variant: PlayerVariant) {
        var settings = NTSCSettings()
        let picture = PlanarPicture(.i420, 45, 300)
        // A twelfth of 164 rows of a field are 14, which are 28 rows of luma and 14 of chroma.
        var moved = picture
        for plane in 0..<3 {
            let bytes = (plane == 0 ? 28 : 14) * picture.rowBytes(plane)
            let blanking = [UInt8](repeating: plane == 0 ? 16 : 128, count: bytes)
            moved.planes[plane] = blanking + picture.planes[plane].dropLast(bytes)
        }
        let expected = moved.played(settings, variant, scan: scan).rows
        settings.verticalHold = 0.5
        let rolled = picture.played(settings, variant, scan: scan).rows
        // Chroma is interpolated with that of neighbouring rows, which differ at the edges.
        for rows in [36..<296, 318..<448, 468..<598] {
            #expect(rolled[rows] == expected[rows])
        }
    }

    @Test(arguments: [PixelFormat.i420, .nv12, .y42b, .p010, .gray8, .rgb], GoldenFrameTests.variants)
    func resultDoesNotDependOnNumberOfBands(format: PixelFormat, variant: PlayerVariant) throws {
        var settings = NTSCSettings()
        (settings.verticalHold, settings.horizontalHold, settings.syncNoise) = (1.5, 1.2, 0.5)
        (settings.snowModel, settings.snowIntensity, settings.ghostLevel) = (.reception, 20, 0.4)
        settings.coChannelLevel = 0.2
        for standard in TelevisionStandard.allCases {
            settings.standard = standard
            for useField in [UseField.interleavedUpper, .upper, .both] {
                settings.useField = useField
                let picture = PlanarPicture(format, 45, 300)
                for scan in [Scan.progressive, .interlaced(topFieldFirst: true)] {
                    let alone = picture.played(settings, variant, scan: scan)
                    for bands in [2, 5] {
                        let runner = ConcurrentRunner()
                        let isSame = picture.played(settings, variant, bands: bands, runner, scan: scan) == alone
                        #expect(isSame && runner.bands > 1, "\(standard), \(useField), \(scan), \(bands) bands")
                    }
                }
            }
        }
    }
}

extension Flywheel {
    fileprivate func phase(after count: Double, last: Int, _ seeds: SeedHash) -> Double {
        var errors = PulseErrors()
        return phase(after: count, last: last, seeds, &errors)
    }
}
