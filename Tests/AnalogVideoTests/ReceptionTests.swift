import AnalogVideoModel
import Testing

@testable import AnalogVideo

/// Tests the echo and the interference of a weak aerial; see docs/NTSC.md, "Echo" and "Co-channel interference".
struct ReceptionTests {
    private static let (width, height) = (CleanSignal.width, 480)

    /// Composite signal after `stage` of a field; a picture of black with a grey bar in `bar`.
    private func rows(
        _ settings: NTSCSettings, _ stage: SignalStage, field: Int = 0, bar: Range<Int> = 60..<90
    ) throws -> [[Float]] {
        let row = (0..<Self.width).flatMap { column -> [UInt8] in
            bar.contains(column) ? [128, 128, 128, 255] : [0, 0, 0, 255]
        }
        let planes = try PlaneRecorder.planes(
            settings, width: Self.width, height: Self.height, pixels: (0..<Self.height).flatMap { _ in row })
        return try CleanSignal.rows(planes[field], stage)
    }

    private func settings(
        _ standard: TelevisionStandard, ghost level: Float, delay: Float = 3, phase: Float = 0
    ) -> NTSCSettings {
        var settings = CleanSignal.settings(standard)
        (settings.ghostLevel, settings.ghostDelay, settings.ghostPhase) = (level, delay, phase)
        return settings
    }

    /// The centre of the ghost is as many samples to the right of the bar as the standard has in the delay.
    @Test(arguments: [(TelevisionStandard.ntsc, Float(14.318182)), (.pal, 17.734475), (.secam, 17.734475)])
    func delayIsInMicroseconds(standard: TelevisionStandard, samples: Float) throws {
        let settings = settings(standard, ghost: 0.5)
        // The first row of a field has no burst and no chroma in any standard, because the picture has no colour.
        let before = try rows(settings, .compositeNoise)[3]
        let after = try rows(settings, .echo)[3]
        let ghost = zip(before, after).map { $1 * 1.5 - $0 }.enumerated().map { $0 < 95 ? 0 : $1 }
        // The frequency-modulated carrier of SECAM is everywhere.
        guard standard != .secam else {
            let mean = ghost[118..<138].reduce(0, +) / 20
            return #expect(abs(mean - 0.25) < 0.05)
        }
        let distance = CleanSignal.centre(ghost) - CleanSignal.centre(before)
        #expect(abs(distance - 3 * samples) < 0.1, "\(distance)")
        #expect(abs((ghost.max() ?? 0) - 0.5 * (before.max() ?? 0)) < 0.01)
    }

    /// The gain control holds the level of areas that the ghost covers, for any phase.
    @Test(arguments: [0, 0.1, 0.25, 0.4, 0.5] as [Float])
    func areasKeepTheirLevel(phase: Float) throws {
        let row = try rows(settings(.ntsc, ghost: 0.6, delay: 2, phase: phase), .echo, bar: 0..<Self.width)[0]
        for x in 64..<192 { #expect(abs(row[x] - 128 / 255) < 1e-4) }
    }

    @Test func ghostInQuadratureHasOnlyEdges() throws {
        let settings = settings(.ntsc, ghost: 0.6, phase: 0.25)
        let before = try rows(settings, .compositeNoise, bar: 60..<110)[0]
        let after = try rows(settings, .echo, bar: 60..<110)[0]
        let ghost = zip(before, after).map { $1 - $0 }
        // The edges of the ghost are at 60 and 110, and 42.95 samples.
        #expect(abs(ghost[103]) > 0.15 && abs(ghost[153]) > 0.15)
        #expect(ghost[103] * ghost[153] < 0)
        #expect(ghost[118..<138].allSatisfy { abs($0) < 0.002 })
    }

    /// With 9 µs, the synchronization pulse before the row is in the first 4.3 µs.
    @Test func synchronizationPulseHasAGhost() throws {
        let row = try rows(settings(.ntsc, ghost: 0.5, delay: 9), .echo, bar: 300..<301)[0]
        #expect(row[5..<60].allSatisfy { abs($0 + 0.4 / 3) < 1e-4 })
        #expect(row[64..<Self.width].allSatisfy { abs($0) < 1e-4 })
    }

    /// Numbers of the rows in which the first column changes its sign.
    private func zeroCrossings(_ rows: [[Float]]) -> Int {
        zip(rows, rows.dropFirst()).count { ($0[0] > 0) != ($1[0] > 0) }
    }

    /// A beat of 600 Hz has ten periods in the time of a field, and 9.15 in its 240 rows.
    @Test func beatIsBars() throws {
        var settings = CleanSignal.settings(.ntsc)
        (settings.coChannelLevel, settings.coChannelOffset) = (0.5, 600)
        let rows = try rows(settings, .coChannel, bar: 300..<301)
        #expect((18...19).contains(zeroCrossings(rows)))
        #expect(abs((rows.map { $0[0] }.max() ?? 0) - 0.35) < 0.01)
        // 17.9 µs of 600 Hz are 3.9 degrees: a bar is nearly horizontal.
        for row in rows { #expect(abs(row[0] - row[255]) < 0.35 * 0.07) }
    }

    /// The beat does not jump between fields: they begin half a line apart.
    @Test func beatContinuesInTheNextField() throws {
        var settings = CleanSignal.settings(.ntsc)
        (settings.coChannelLevel, settings.coChannelOffset) = (0.5, 15_734.266)
        // At the frequency of the lines, the second field is half a period later.
        let first = try rows(settings, .coChannel, bar: 300..<301)[7][0]
        let second = try rows(settings, .coChannel, field: 1, bar: 300..<301)[7][0]
        #expect(abs(first + second) < 1e-3 && abs(first) > 0.05)
    }
}
