import Foundation
@testable import SendspinProtocol
import Testing

/// Tests `FrameSplice`, which inserts and drops frames.
@Suite struct FrameSpliceTests {
    private static func single(_ change: Int, _ frames: Int, spacing: Int? = nil) -> CorrectionPlan {
        CorrectionPlan(kind: .single, frames: frames, change: change, spacing: spacing ?? frames / abs(change))
    }

    /// In a sine of 1 kHz at -3 dBFS, a click causes a wide spectrum and a large step.
    @Test(arguments: [-1, 1], [1200, 4608])
    func aSingleFrameIsInaudible(change: Int, frames: Int) throws {
        let original = PlayoutSignal.sine(1000, frames: 8192 + frames)
        let bytes = PlayoutSignal.encode(original, .float64)
        let start = 4096 - frames / 2
        let part = Array(bytes[(start * 8)..<((start + frames) * 8)])
        let output = try #require(PlayoutSignal.apply(Self.single(change, frames), to: part, .float64, channels: 1))
        let corrected =
            Array(original[..<start]) + PlayoutSignal.decode(output, .float64) + Array(original[(start + frames)...])
        let window = Array(corrected[..<8192])
        let splatter = PlayoutSignal.splatter(window, around: 1000)
        #expect(splatter < -105)
        #expect(PlayoutSignal.greatestStep(window) < 1.01 * PlayoutSignal.greatestStep(original))
        // For comparison, remove or insert a frame without interpolation.
        var cut = original
        if change < 0 { cut.remove(at: 4096) } else { cut.insert((cut[4096] + cut[4095]) / 2, at: 4096) }
        #expect(PlayoutSignal.splatter(Array(cut[..<8192]), around: 1000) > splatter + 40)
    }

    @Test(arguments: [100, 1000, 5000, 10_000] as [Double], [-1, 1])
    func tonesKeepTheirLevel(hertz: Double, change: Int) throws {
        let original = PlayoutSignal.sine(hertz, frames: 1200)
        let output = try #require(
            PlayoutSignal.apply(
                Self.single(change, 1200), to: PlayoutSignal.encode(original, .float64), .float64, channels: 1))
        let corrected = PlayoutSignal.decode(output, .float64)
        // After the correction, the signal is shifted by one frame.
        #expect(corrected.prefix(300).elementsEqual(original.prefix(300)))
        #expect(corrected.suffix(300).elementsEqual(original.suffix(300)))
        let middle = corrected[360..<840].map { $0 * $0 }.reduce(0, +) / 480
        #expect(abs(10 * log10(middle / 0.25)) < 0.5)
    }

    @Test(arguments: SampleFormat.all, [1, 2, 6])
    func allFormatsAndChannelsAreEqual(format: SampleFormat, channels: Int) throws {
        let signal = PlayoutSignal.sine(440, frames: 960)
        let samples = PlayoutSignal.interleave(signal, channels: channels)
        let plans = [
            Self.single(1, 960), Self.single(-1, 960), Self.single(3, 960), Self.single(-3, 960),
            CorrectionPlan(kind: .snap, frames: 960, change: 100, spacing: 960),
            CorrectionPlan(kind: .snap, frames: 960, change: -100, spacing: 960),
        ]
        for plan in plans {
            let reference = PlayoutSignal.decode(
                try #require(
                    PlayoutSignal.apply(plan, to: PlayoutSignal.encode(signal, .float64), .float64, channels: 1)),
                .float64)
            let output = PlayoutSignal.decode(
                try #require(
                    PlayoutSignal.apply(plan, to: PlayoutSignal.encode(samples, format), format, channels: channels)),
                format)
            let expected = PlayoutSignal.interleave(reference, channels: channels)
            #expect(output.count == expected.count)
            let difference = zip(output, expected).map { abs($0 - $1) }.max() ?? 1
            #expect(difference < PlayoutSignal.tolerance(format), "\(plan)")
        }
    }

    @Test(arguments: SampleFormat.all)
    func saturatesInsteadOfWrapping(format: SampleFormat) throws {
        // The interpolation of a square wave at full scale overshoots.
        let signal = (0..<960).map { ($0 / 7) % 2 == 0 ? 1.0 : -1.0 }
        let output = PlayoutSignal.decode(
            try #require(
                PlayoutSignal.apply(Self.single(1, 960), to: PlayoutSignal.encode(signal, format), format, channels: 1)),
            format)
        let reference = PlayoutSignal.decode(
            try #require(
                PlayoutSignal.apply(
                    Self.single(1, 960), to: PlayoutSignal.encode(signal, .float64), .float64, channels: 1)),
            .float64)
        #expect(reference.contains { $0 > 1.05 })
        for (value, exact) in zip(output, reference) {
            let isFloat = format.encoding == .float32 || format.encoding == .float64
            let limited = isFloat ? exact : min(max(exact, -1), 1)
            #expect(abs(value - limited) < max(PlayoutSignal.tolerance(format), 1e-4))
        }
    }

    /// The output has the planned length, even if the buffer is shorter than the interpolation.
    @Test(arguments: [1, 2, 3, 8, 17, 31, 64, 100, 513, 1200])
    func shortBuffersAreCorrected(frames: Int) throws {
        let signal = [Double](repeating: 0.25, count: frames)
        for change in [-1, 1] {
            let output = try #require(
                PlayoutSignal.apply(
                    Self.single(change, frames), to: PlayoutSignal.encode(signal, .float64), .float64, channels: 1))
            let values = PlayoutSignal.decode(output, .float64)
            #expect(values.count == frames + change)
            #expect(values.allSatisfy { abs($0 - 0.25) < 1e-12 })
        }
        for change in [-frames, 1 - frames, -frames / 2, 1, 5000] {
            let plan = CorrectionPlan(kind: .snap, frames: frames, change: change, spacing: frames)
            let output = try #require(
                PlayoutSignal.apply(plan, to: PlayoutSignal.encode(signal, .float64), .float64, channels: 1))
            let values = PlayoutSignal.decode(output, .float64)
            #expect(values.count == frames + change)
            #expect(values.allSatisfy { $0 >= -1e-12 && $0 <= 0.25 + 1e-12 })
        }
    }

    @Test func insertsSilenceWithFades() throws {
        let original = PlayoutSignal.sine(1000, frames: 1200)
        let plan = CorrectionPlan(kind: .snap, frames: 1200, change: 480, spacing: 1200)
        let output = PlayoutSignal.decode(
            try #require(
                PlayoutSignal.apply(plan, to: PlayoutSignal.encode(original, .float64), .float64, channels: 1)),
            .float64)
        #expect(output[600..<1080].allSatisfy { $0 == 0 })
        #expect(output[..<470].elementsEqual(original[..<470]))
        #expect(output[1210...].elementsEqual(original[730...]))
        #expect(PlayoutSignal.greatestStep(output) < 1.05 * PlayoutSignal.greatestStep(original))
    }

    @Test func cutsFramesWithACrossfade() throws {
        let original = PlayoutSignal.sine(1000, frames: 1200)
        // 500 frames are 10.4 periods.
        let plan = CorrectionPlan(kind: .snap, frames: 1200, change: -500, spacing: 1200)
        let output = PlayoutSignal.decode(
            try #require(
                PlayoutSignal.apply(plan, to: PlayoutSignal.encode(original, .float64), .float64, channels: 1)),
            .float64)
        #expect(output.count == 700)
        #expect(output[..<280].elementsEqual(original[..<280]))
        #expect(output[420...].elementsEqual(original[920...]))
        #expect(PlayoutSignal.greatestStep(output) < 1.05 * PlayoutSignal.greatestStep(original))
    }

    @Test func refusesWrongLengths() {
        let data = [UInt8](repeating: 0, count: 100)
        let bad = [
            CorrectionPlan.unchanged(24), .unchanged(26), .unchanged(-1), Self.single(1, 24), Self.single(1, 26),
            CorrectionPlan(kind: .single, frames: 25, change: 1, spacing: 0),
            CorrectionPlan(kind: .single, frames: 25, change: 26, spacing: 1),
            CorrectionPlan(kind: .snap, frames: 25, change: -26, spacing: 25),
        ]
        for plan in bad { #expect(PlayoutSignal.apply(plan, to: data, .signed16, channels: 2) == nil) }
        #expect(PlayoutSignal.apply(.unchanged(25), to: data, .signed16, channels: 2) == data)
        #expect(FrameSplice(format: .signed16, channels: 0) == nil)
        #expect(FrameSplice(format: .signed16, channels: 2000) == nil)
    }
}
