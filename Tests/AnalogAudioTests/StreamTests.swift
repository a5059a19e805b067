import AnalogAudio
import AnalogVideoModel
import Foundation
import TestSupport
import Testing

/// The output is a function of the settings, the input and the position.
struct StreamTests {
    /// Everything at once.
    private static let full = TapeSettings().with {
        ($0.track, $0.tapeSpeed, $0.generations, $0.levelControl) = (.linear, .sp, 2, true)
        ($0.linearWowFlutter, $0.hiFiWowFlutter, $0.azimuthError, $0.receiverNoise) = (0.8, 0.1, 5, -50)
        $0.dropOuts = .noise
        $0.picture.snowIntensity = 0.1
        $0.picture.randomSeed = 12
    }

    private static func music(seconds: Double, rate: Int = 48_000, channels: Int = 2) -> Sound {
        Sound(
            (0..<channels).map { channel in
                (0..<Int(seconds * Double(rate))).map { index in
                    let time = Double(index) / Double(rate)
                    return Float(0.3 * sin(2 * Double.pi * (220 + 40 * Double(channel)) * time) * cos(3 * time))
                }
            }, rate: rate)
    }

    @Test(arguments: [SoundTrack.none, .linear, .hiFi])
    func theSizesOfBuffersDoNotMatter(track: SoundTrack) {
        let settings = Self.full.with { $0.track = track }
        let music = Self.music(seconds: 0.6)
        let whole = music.played(settings, from: 12_345, sizes: [100_000])
        for sizes in [[1], [63, 65], [1_024], [7, 480, 1, 4_096]] {
            #expect(music.played(settings, from: 12_345, sizes: sizes).channels == whole.channels, "\(sizes)")
        }
    }

    /// After the memory of the filters, the sound after a seek is that of continuous playback.
    @Test(arguments: [SoundTrack.none, .linear, .hiFi])
    func soundAfterASeekIsThatOfContinuousPlayback(track: SoundTrack) {
        let settings = Self.full.with { ($0.track, $0.levelControl) = (track, false) }
        let music = Self.music(seconds: 2)
        let played = music.played(settings)
        for start in [48_000, 31_007] {
            let rest = Sound(music.channels.map { Array($0[start...]) }, rate: music.rate)
                .played(settings, from: Int64(start))
            for (channel, other) in zip(rest.channels, played.channels) {
                let difference = zip(channel, other[start...]).map { abs($0 - $1) }
                #expect(difference.dropFirst(9_600).max()! < 1e-5)
            }
        }
    }

    /// Silence has the same noise from the first sample on.
    @Test func noiseAfterASeekIsThatOfContinuousPlayback() {
        let silence = Sound(seconds: 1)
        let settings = Self.full.with { $0.levelControl = false }
        let played = silence.played(settings).channels[0]
        let rest = Sound(seconds: 0.5).played(settings, from: 24_000).channels[0]
        #expect(zip(rest, played[24_000...]).allSatisfy { abs($0 - $1) < 1e-4 })
        #expect(level(rest) > 1e-3)
    }

    @Test func otherSeedsGiveOtherNoise() {
        let silence = Sound(seconds: 0.1)
        let one = silence.played(Self.full).channels[0]
        let other = silence.played(Self.full.with { $0.picture.randomSeed += 1 }).channels[0]
        #expect(one != other)
    }

    /// Without wow, sound keeps its time: the delay is compensated exactly.
    @Test func theOutputBeginsAfterTheDelay() {
        var click = Sound(seconds: 0.1)
        click.channels[0][2_000] = 0.5
        let output = click.played(.clean.with { $0.track = .none }).channels[0]
        #expect(output == click.channels[0])
    }

    @Test(arguments: [SoundTrack.none, .linear, .hiFi], [1, 100, 600, 10_000])
    func soundByItselfIsThatOfAStreamWithItsLength(track: SoundTrack, count: Int) {
        let settings = Self.full.with { $0.track = track }
        let music = Sound(Self.music(seconds: 0.3).channels.map { Array($0.prefix(count)) }, rate: 48_000)
        #expect(music.playedAlone(settings, at: 4_321).channels == music.played(settings, from: 4_321).channels)
    }

    /// The delay line of the linear track still has the sound that the track has played last.
    @Test func theLinearTrackDoesNotRepeatOldSound() {
        let settings = TapeSettings.clean.with { ($0.track, $0.linearNoise) = (.hiFi, TapeSettings.silence) }
        var player = TapePlayer(SoundLayout(rate: 48_000, channels: 1, sample: .float32))
        player.begin(at: 0, settings)
        var samples: [Float] = []
        for (track, sample) in [(SoundTrack.linear, Float(0.5)), (.hiFi, 0), (.linear, 0)] {
            let settings = settings.with { $0.track = track }
            samples = (0..<2_400).map { $0 % 20 < 10 ? sample : -sample }
            samples.withUnsafeMutableBytes {
                var span = $0.mutableBytes
                player.play(&span, settings)
            }
        }
        #expect(samples.allSatisfy { $0 == 0 })
    }

    // MARK: Formats

    @Test(arguments: [8_000, 11_025, 22_050, 32_000, 44_100, 96_000, 192_000], [1, 2, 3, 5, 8])
    func everyRateAndNumberOfChannelsPlays(rate: Int, channels: Int) {
        let music = Self.music(seconds: 0.25, rate: rate, channels: channels)
        for track in [SoundTrack.none, .linear, .hiFi] {
            let output = music.played(Self.full.with { $0.track = track })
            for channel in output.channels {
                #expect(channel.allSatisfy { $0.isFinite && abs($0) < 4 })
                #expect(level(channel) > 0.05)
            }
        }
    }

    @Test func integersAreTheRoundedFloatingPointNumbers() {
        let settings = Self.full
        let music = Self.music(seconds: 0.2)
        let expected = music.played(settings)
        let layout = SoundLayout(rate: 48_000, channels: 2, sample: .int16)
        var player = TapePlayer(layout)
        player.begin(at: 0, settings)
        let frames = music.count
        var samples = (0..<frames * 2).map { Int16((music.channels[$0 % 2][$0 / 2] * 32_768).rounded()) }
        samples += [Int16](repeating: 0, count: player.delay * 2)
        samples.withUnsafeMutableBytes {
            var span = $0.mutableBytes
            player.play(&span, settings)
        }
        let output = samples.dropFirst(player.delay * 2)
        for (index, sample) in output.enumerated() {
            let wanted = min(max(Double(expected.channels[index % 2][index / 2]) * 32_768, -32_768), 32_767)
            // The input is rounded too.
            #expect(abs(Double(sample) - wanted) < 12)
        }
    }

    @Test func integersAreLimited() {
        let settings = TapeSettings.clean.with { ($0.track, $0.recordLevel) = (.none, 40) }
        let layout = SoundLayout(rate: 48_000, channels: 1, sample: .int16)
        var player = TapePlayer(layout)
        player.begin(at: 0, settings)
        var samples = [Int16](repeating: 20_000, count: 2_000) + [Int16](repeating: -20_000, count: 2_000)
        samples.withUnsafeMutableBytes {
            var span = $0.mutableBytes
            player.play(&span, settings)
        }
        #expect(samples.max() == .max && samples.min() == .min)
    }

    // MARK: Values without a meaning

    @Test(arguments: [Float.nan, .infinity, -.infinity, .greatestFiniteMagnitude, .leastNonzeroMagnitude])
    func aValueWithoutAMeaningDoesNotOutlastTheFilters(value: Float) {
        for track in [SoundTrack.none, .linear, .hiFi] {
            var music = Self.music(seconds: 1)
            let settings = Self.full.with { ($0.track, $0.levelControl) = (track, false) }
            let expected = music.played(settings)
            for index in 4_800..<4_900 { music.channels[0][index] = value }
            let output = music.played(settings)
            #expect(output.channels.allSatisfy { $0.allSatisfy { $0.isFinite } })
            for (channel, other) in zip(output.channels, expected.channels) {
                #expect(zip(channel, other).dropFirst(24_000).allSatisfy { abs($0 - $1) < 1e-4 })
            }
        }
    }

    /// Limits below those that filters with 64 bits can have, with the loudest noise, as integers and as floats.
    @Test(arguments: [Float.leastNonzeroMagnitude, 1e-20, 1e-6, 0.1, 19], [8_000, 192_000])
    func tinyLimitsOfTheBandPlay(limit: Float, rate: Int) {
        for track in [SoundTrack.none, .linear, .hiFi] {
            let settings = Self.full.with {
                ($0.track, $0.lowCut, $0.highCut, $0.linearNoise, $0.hiFiNoise) = (track, limit, limit, 0, 0)
            }
            for sample in [SoundLayout.Sample.float32, .int16] {
                var player = TapePlayer(SoundLayout(rate: rate, channels: 1, sample: sample))
                player.begin(at: 0, settings)
                var samples = [Float](repeating: 0.5, count: rate)
                for _ in 0..<4 {
                    samples.withUnsafeMutableBytes {
                        var span = $0.mutableBytes
                        player.play(&span, settings)
                    }
                    #expect(sample == .int16 || samples.allSatisfy { $0.isFinite && abs($0) < 1_000 })
                }
            }
        }
    }

    @Test func anIncompleteFrameDoesNotChange() {
        var player = TapePlayer(SoundLayout(rate: 48_000, channels: 2, sample: .float32))
        player.begin(at: 0, Self.full)
        var bytes = [UInt8](repeating: 0xA5, count: 8 * 10 + 5)
        bytes.withUnsafeMutableBytes {
            var span = $0.mutableBytes
            player.play(&span, Self.full)
        }
        #expect(Array(bytes.suffix(5)) == [UInt8](repeating: 0xA5, count: 5))
    }

    @Test(arguments: [Int64(0), -100_000, 1 << 52, 1 << 60, .max, .min])
    func everyPositionPlays(position: Int64) {
        let output = Self.music(seconds: 0.1).played(Self.full, from: position)
        #expect(output.channels.allSatisfy { $0.allSatisfy { $0.isFinite } })
    }

    /// Settings of the extremes of their ranges, changed in each buffer.
    @Test(arguments: [1 as UInt64, 2, 3, 4])
    func anySettingsPlay(seed: UInt64) {
        var random = Random(seed: seed)
        var player = TapePlayer(SoundLayout(rate: 44_100, channels: 2, sample: .float32))
        player.begin(at: 0, TapeSettings())
        for _ in 0..<100 {
            let settings = TapeSettings.random(&random)
            var samples = (0..<1_000).map { _ in Float(bitPattern: UInt32(truncatingIfNeeded: random.next())) }
            samples.withUnsafeMutableBytes {
                var span = $0.mutableBytes
                player.play(&span, settings)
            }
            #expect(samples.allSatisfy { $0.isFinite })
        }
    }
}

extension TapeSettings {
    /// Settings of which each is the least, the largest or a value between.
    fileprivate static func random(_ generator: inout Random) -> TapeSettings {
        func value(_ range: ClosedRange<Float>) -> Float {
            [
                range.lowerBound, range.upperBound, range.lowerBound + .leastNonzeroMagnitude,
                Float.random(in: range, using: &generator),
            ].randomElement(using: &generator)!
        }
        func whole(_ range: ClosedRange<Int32>) -> Int32 {
            [range.lowerBound, range.upperBound, Int32.random(in: range, using: &generator)].randomElement(
                using: &generator)!
        }
        var settings = TapeSettings()
        settings.track = SoundTrack.allCases.randomElement(using: &generator)!
        settings.tapeSpeed = SoundTapeSpeed.allCases.randomElement(using: &generator)!
        settings.standard = TelevisionStandard.allCases.randomElement(using: &generator)!
        (settings.lowCut, settings.highCut) = (value(0...1_000), value(0...96_000))
        settings.generations = whole(1...8)
        settings.recordLevel = value(-40...40)
        settings.levelControl = Bool.random(using: &generator)
        settings.levelControlTarget = value(-40...0)
        (settings.emphasis, settings.clipLevel) = (value(0...300), value(-40...20))
        (settings.trebleBoost, settings.azimuthError) = (value(0...4), value(0...30))
        (settings.linearWowFlutter, settings.hiFiWowFlutter) = (value(0...2), value(0...2))
        settings.flutterShare = value(0...1)
        (settings.linearNoise, settings.hiFiNoise, settings.receiverNoise) = (
            value(-120...0), value(-120...0), value(-120...0)
        )
        (settings.buzz, settings.switchingNoise) = (value(-120...0), value(-120...0))
        settings.dropOuts = DropOutSound.allCases.randomElement(using: &generator)!
        (settings.dropOutLength, settings.dropOutLevel) = (value(0.1...20), value(-120...0))
        (settings.videoWidth, settings.videoHeight) = (whole(1...65_536), whole(1...8_640))
        settings.videoFramerate = FrameRate(numerator: whole(0 ... .max), denominator: whole(1 ... .max))
        settings.videoOffset = .seconds(Int(whole(-86_400...86_400)))
        settings.picture.randomSeed = whole(.min ... .max)
        settings.picture.useField = UseField.allCases.randomElement(using: &generator)!
        (settings.picture.snowIntensity, settings.picture.snowAnisotropy) = (value(0...100), value(0...1))
        settings.picture.trackingNoiseHeight = whole(0...120)
        settings.picture.trackingNoiseSnowIntensity = value(0...1)
        settings.picture.trackingNoiseSnowAnisotropy = value(0...1)
        settings.picture.verticalScale = value(0.125...8.8)
        settings.picture.scaleWithVideoSize = Bool.random(using: &generator)
        return settings
    }
}
