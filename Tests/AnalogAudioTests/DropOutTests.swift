import AnalogAudio
import AnalogVideoModel
import AnalogVideoPlayer
import Foundation
import SignalSupport
import Testing

/// Drop-outs lie where `ntscfilter` draws streaks.
struct DropOutTests {
    private static let (width, height, rate) = (640, 480, 48_000)
    private static let framerate = FrameRate(numerator: 30, denominator: 1)

    /// Looks with drop-outs: snow, tracking noise, and both, with several seeds and fields.
    private static let pictures: [NTSCSettings] = [
        picture { ($0.snowIntensity, $0.snowAnisotropy) = (0.05, 0.9) },
        picture { ($0.snowIntensity, $0.snowAnisotropy, $0.randomSeed) = (0.02, 0.5, -77) },
        picture { ($0.trackingNoise, $0.trackingNoiseHeight, $0.trackingNoiseSnowIntensity) = (true, 60, 0.002) },
        picture {
            ($0.trackingNoise, $0.trackingNoiseHeight, $0.trackingNoiseSnowAnisotropy) = (true, 60, 0.8)
            ($0.snowIntensity, $0.randomSeed, $0.useField) = (0.01, 5, .both)
        },
        picture { ($0.snowIntensity, $0.useField) = (0.05, .interleavedLower) },
    ]

    /// Settings without any other change of the picture.
    private static func picture(_ change: (inout NTSCSettings) -> Void) -> NTSCSettings {
        var settings = NTSCSettings()
        settings.inputLumaFilter = .none
        settings.chromaLowpassIn = .none
        settings.compositePreemphasis = 0
        settings.compositeNoise = false
        settings.snowIntensity = 0
        settings.headSwitching = false
        settings.trackingNoise = false
        settings.trackingNoiseWaveIntensity = 0
        settings.trackingNoiseNoiseIntensity = 0
        settings.chromaDemodulation = .twoLineComb
        settings.lumaSmear = 0
        settings.ringing = false
        settings.lumaNoise = false
        settings.chromaNoise = false
        settings.chromaPhaseNoiseIntensity = 0
        settings.vhsSettings = false
        settings.vhsChromaVertBlend = false
        settings.chromaLowpassOut = .none
        change(&settings)
        return settings
    }

    /// For each millisecond of `frames` frames: how much the rows of the picture differ from grey, as they are scanned.
    private func streaks(_ settings: NTSCSettings, frames: Int) throws -> [Double] {
        var energy = [Double](repeating: 0, count: frames * 1_000 / 30 + 2)
        for frame in 0..<frames {
            var bytes = [UInt8](repeating: 128, count: Self.width * Self.height)
            let player = try #require(makePlayer(width: Self.width, height: Self.height, pictureHeight: Self.height))
            var plane = bytes.mutableSpan
            let isPlayed = player.play(
                &plane,
                layout: PictureLayout(format: .gray8, width: Self.width, height: Self.height, stride: Self.width),
                frame: UInt64(frame), scan: .progressive, settings: settings, bands: 1, runner: SerialRunner())
            #expect(isPlayed)
            for run in runs(frame, settings) {
                for row in 0..<run.rowCount {
                    let first = (run.firstRow + row * run.rowStep) * Self.width
                    let difference = bytes[first..<first + Self.width].reduce(0.0) { $0 + abs(Double($1) - 128) }
                    // The rows are the last 240 of the 262.5 lines of a field.
                    let place = (22.5 + 240 * Double(row) / Double(run.rowCount)) / 262.5
                    let time = run.start + run.length * place
                    guard difference > 40 else { continue }
                    // A drop-out takes 0.2 ms, and may reach the next millisecond.
                    for part in [time, time + 0.000_25] { energy[Int(part * 1_000)] += difference }
                }
            }
        }
        return energy
    }

    private func runs(
        _ frame: Int, _ settings: NTSCSettings
    ) -> [(firstRow: Int, rowStep: Int, rowCount: Int, start: Double, length: Double)] {
        let start = Double(frame) / 30
        guard settings.useField != .both else { return [(0, 1, Self.height, start, 1 / 30)] }
        let upperFirst = settings.useField == .interleavedUpper
        return [
            (upperFirst ? 0 : 1, 2, Self.height / 2, start, 1 / 60),
            (upperFirst ? 1 : 0, 2, Self.height / 2, start + 1 / 60, 1 / 60),
        ]
    }

    /// For each millisecond, how much of a tone on the Hi-Fi tracks is lost.
    private func losses(_ picture: NTSCSettings, frames: Int) -> [Double] {
        let settings = TapeSettings.clean.with {
            ($0.track, $0.dropOuts, $0.dropOutLevel, $0.dropOutLength) = (.hiFi, .noise, -120, 0.2)
            ($0.picture, $0.videoFramerate) = (picture, Self.framerate)
        }
        let tone = Sound(hertz: 12_000, amplitude: 0.5, seconds: Double(frames) / 30 + 0.01, rate: Self.rate)
        let (full, output) = (tone.played(settings.with { $0.dropOuts = .off }), tone.played(settings))
        return stride(from: 0, to: output.count - 48, by: 48).map { start in
            let (kept, all) = (
                level(output.channels[0][start..<start + 48]), level(full.channels[0][start..<start + 48])
            )
            return max(0, 1 - kept / all)
        }
    }

    private func correlation(_ one: [Double], _ other: [Double]) -> Double {
        let count = Double(min(one.count, other.count))
        let (meanOne, meanOther) = (one.reduce(0, +) / count, other.reduce(0, +) / count)
        var (product, squareOne, squareOther) = (0.0, 0.0, 0.0)
        for (x, y) in zip(one, other) {
            product += (x - meanOne) * (y - meanOther)
            squareOne += (x - meanOne) * (x - meanOne)
            squareOther += (y - meanOther) * (y - meanOther)
        }
        return product / (squareOne * squareOther).squareRoot()
    }

    @Test(arguments: pictures.indices)
    func soundIsLostWhereThePictureHasStreaks(index: Int) throws {
        let frames = 30
        let settings = Self.pictures[index]
        let torn = try streaks(settings, frames: frames).map { $0 > 0 ? 1.0 : 0 }
        let lost = losses(settings, frames: frames).map { $0 > 0.02 ? 1.0 : 0 }
        let result = correlation(torn, lost)
        #expect(result > 0.8, "\(result), \(torn.reduce(0, +)) torn, \(lost.reduce(0, +)) lost")
        // With another seed, the positions are others.
        var other = settings
        other.randomSeed &+= 1
        let control = correlation(torn, losses(other, frames: frames).map { $0 > 0.02 ? 1.0 : 0 })
        #expect(control < result - 0.2, "\(control), \(result)")
    }

    /// In an MP4, the first frame of the picture often has a later timestamp than the sound with it.
    @Test(arguments: [(2_400, 50), (-9_600, -200)])
    func theOffsetOfThePictureMovesDropOuts(frames: Int64, milliseconds: Int) {
        let settings = TapeSettings.clean.with {
            ($0.track, $0.dropOuts, $0.dropOutLevel, $0.videoFramerate) = (.hiFi, .noise, -120, Self.framerate)
            $0.picture.snowIntensity = 0.05
        }
        let tone = Sound(hertz: 1_000, amplitude: 0.5, seconds: 1)
        let offset = settings.with { $0.videoOffset = .milliseconds(milliseconds) }
        let moved = tone.played(offset, from: 96_000).channels[0]
        let expected = tone.played(settings, from: 96_000 + frames).channels[0]
        #expect(zip(moved, expected).allSatisfy { abs($0 - $1) < 1e-5 })
        let other = tone.played(settings, from: 96_000).channels[0]
        #expect(zip(moved, other).contains { abs($0 - $1) > 0.1 })
    }

    // MARK: What is heard

    private static let many = NTSCSettings.with { ($0.snowIntensity, $0.trackingNoise) = (2, false) }

    @Test func aHiFiTrackFallsBackToTheLinearTrack() {
        // The linear track cannot hold 12 kHz, so the tone vanishes; it holds 1 kHz.
        let settings = TapeSettings.clean.with {
            ($0.track, $0.dropOuts, $0.dropOutLength, $0.picture, $0.tapeSpeed) = (.hiFi, .linear, 20, Self.many, .ep)
        }
        for (hertz, isLost) in [(12_000.0, true), (1_000.0, false)] {
            let tone = Sound(hertz: hertz, amplitude: 0.5, seconds: 0.5)
            let kept = level(tone.played(settings).channels[0].dropFirst(4_800)) / level(tone.channels[0])
            #expect(isLost ? kept < 0.1 : kept > 0.9, "\(hertz) Hz: \(kept)")
        }
    }

    @Test func aHiFiTrackIsReplacedByNoise() {
        let settings = TapeSettings.clean.with {
            ($0.track, $0.dropOuts, $0.dropOutLength, $0.dropOutLevel) = (.hiFi, .noise, 20, -20)
            $0.picture = Self.many
        }
        let noise = Sound(seconds: 0.5, channels: 2).played(settings)
        for channel in noise.channels { #expect(abs(decibels(level(channel.dropFirst(4_800))) + 20) < 1) }
    }

    @Test func theLinearTrackIsSofterBy12Decibels() {
        let settings = TapeSettings.clean.with {
            ($0.dropOuts, $0.dropOutLength, $0.picture) = (.linear, 20, Self.many)
        }
        let tone = Sound(hertz: 1_000, amplitude: 0.5, seconds: 0.5)
        let ratio = level(tone.played(settings).channels[0].dropFirst(4_800)) / level(tone.channels[0])
        #expect(abs(decibels(ratio) + 12) < 0.5)
    }

    @Test(arguments: [0 as Int32, -1, 241])
    func otherFrameRatesCauseNoDropOuts(numerator: Int32) {
        let settings = TapeSettings.clean.with {
            ($0.dropOuts, $0.picture) = (.linear, Self.many)
            $0.videoFramerate = FrameRate(numerator: numerator, denominator: 1)
        }
        let tone = Sound(hertz: 1_000, amplitude: 0.5, seconds: 0.2)
        #expect(tone.played(settings).channels == tone.played(settings.with { $0.dropOuts = .off }).channels)
    }
}

extension NTSCSettings {
    fileprivate static func with(_ change: (inout NTSCSettings) -> Void) -> NTSCSettings {
        var settings = NTSCSettings()
        change(&settings)
        return settings
    }
}
