import AnalogAudio
import AnalogVideoModel
import Foundation
import Testing

struct NoiseTests {
    @Test(arguments: [
        (SoundTrack.linear, -42.0), (.linear, -30), (.hiFi, -70), (.hiFi, -50), (.none, -60),
    ])
    func theLevelOfNoiseIsTheSetting(track: SoundTrack, decibelsOfFullScale: Double) {
        let settings = TapeSettings.clean.with {
            $0.track = track
            switch track {
            case .linear: $0.linearNoise = Float(decibelsOfFullScale)
            case .hiFi: $0.hiFiNoise = Float(decibelsOfFullScale)
            case .none: $0.receiverNoise = Float(decibelsOfFullScale)
            }
        }
        let noise = Sound(seconds: 2, channels: 2).played(settings)
        for channel in noise.channels { #expect(abs(decibels(level(channel)) - decibelsOfFullScale) < 0.5) }
        #expect((noise.channels[0] == noise.channels[1]) == (track == .linear), "the linear track is mono")
    }

    /// Bands that are narrow, or whose lower limit is above the upper one, at rates that are high beside them.
    @Test(
        arguments: [
            (8_000, 1, 20, 60), (8_000, 1_000, 20, 60), (48_000, 20, 60, 30), (48_000, 100, 100, 30),
            (48_000, 1_000, 200, 20), (192_000, 20, 500, 5), (48_000, 1_000, 96_000, 2),
        ] as [(Int, Float, Float, Double)], [SoundTrack.linear, .hiFi])
    func theLevelOfNoiseIsTheSettingInEveryBand(band: (Int, Float, Float, Double), track: SoundTrack) {
        let (rate, low, high, seconds) = band
        let settings = TapeSettings.clean.with {
            ($0.track, $0.lowCut, $0.highCut, $0.linearNoise, $0.hiFiNoise) = (track, low, high, -20, -20)
            $0.trebleBoost = 1
        }
        let noise = Sound(seconds: seconds, rate: rate).played(settings).channels[0].dropFirst(rate)
        #expect(abs(decibels(level(noise)) + 20) < 0.5, "\(decibels(level(noise))) dB")
    }

    /// Mean of the power in a band of 200 Hz, at 41 frequencies.
    private func power(_ samples: [Float], around hertz: Double, rate: Int) -> Double {
        (-20...20).map { pow(magnitude(samples, hertz: hertz + Double($0) * 5, rate: rate), 2) }.reduce(0, +) / 41
    }

    /// The noise of the tape passes the filters of the playback, as the sound does.
    @Test func noiseHasTheBandOfTheTrack() {
        let settings = TapeSettings.clean.with { ($0.tapeSpeed, $0.linearNoise, $0.emphasis) = (.ep, -42, 0) }
        let noise = Sound(seconds: 2).played(settings).channels[0]
        let middle = power(noise, around: 1_000, rate: 48_000)
        #expect(abs(10 * log10(power(noise, around: 2_000, rate: 48_000) / middle)) < 2)
        #expect(10 * log10(power(noise, around: 8_000, rate: 48_000) / middle) < -20)
    }

    @Test func eachGenerationAddsItsNoise() {
        let settings = TapeSettings.clean.with { ($0.linearNoise, $0.highCut, $0.emphasis) = (-50, 20_000, 0) }
        let one = level(Sound(seconds: 1).played(settings).channels[0])
        let four = level(Sound(seconds: 1).played(settings.with { $0.generations = 4 }).channels[0])
        // Four times the power, less what the filters of the later generations remove.
        #expect(abs(decibels(four / one) - 6) < 1)
    }

    // MARK: Buzz

    /// Amplitude of a harmonic of the pulses: of a train of rectangles with the width `width` in each `period`.
    private func harmonic(_ hertz: Double, width: Double, period: Double) -> Double {
        2 * abs(sin(Double.pi * hertz * width)) / (Double.pi * hertz * period)
    }

    /// The lines, 15,734 Hz and their double, at a rate that can represent them.
    @Test(arguments: [(TelevisionStandard.ntsc, 15_734.27, 4.7e-6), (.pal, 15_625.0, 4e-6)])
    func linesLeakIntoTheSound(standard: TelevisionStandard, lineRate: Double, width: Double) {
        let settings = TapeSettings.clean.with { ($0.track, $0.standard, $0.buzz) = (.none, standard, -42) }
        let buzz = Sound(seconds: 2, rate: 192_000).played(settings).channels[0]
        for multiple in 1...2 {
            let hertz = lineRate * Double(multiple)
            let measured = lineAmplitude(buzz, hertz: hertz, rate: 192_000)
            // The vertical pulse hides 10 of 262.5, or 12 of 312.5 lines.
            let hidden = standard == .ntsc ? 10 / 262.5 : 12 / 312.5
            let expected = pow(10, -42.0 / 20) * harmonic(hertz, width: width, period: 1 / lineRate) * (1 - hidden)
            #expect(abs(decibels(measured / expected)) < 1, "\(hertz) Hz: \(measured), \(expected)")
        }
    }

    /// The fields: harmonics of 59.94 or 50 Hz, with silence between the lines of the spectrum.
    @Test(arguments: [(TelevisionStandard.ntsc, 60_000 / 1_001.0, 10.0, 262.5, 4.7e-6), (.pal, 50, 12, 312.5, 4e-6)])
    func fieldsLeakIntoTheSound(
        standard: TelevisionStandard, fieldRate: Double, lines: Double, linesInField: Double, width: Double
    ) {
        let settings = TapeSettings.clean.with { ($0.standard, $0.tapeSpeed, $0.buzz) = (standard, .sp, -42) }
        let buzz = Sound(seconds: 4).played(settings).channels[0].dropFirst(4_800)
        let line = 1 / (fieldRate * linesInField)
        for multiple in [5.0, 10, 20, 40] {
            let hertz = fieldRate * multiple
            let measured = lineAmplitude(buzz, hertz: hertz, rate: 48_000)
            // The pulses of the lines inside of a vertical pulse are not higher than it.
            let height = pow(10, -42.0 / 20) * (1 - width / line)
            let expected = height * harmonic(hertz, width: lines * line, period: 1 / fieldRate)
            // Butterworth high-pass of second order at 100 Hz.
            let band = -10 * log10(1 + pow(100 / hertz, 4))
            #expect(abs(decibels(measured / expected) - band) < 1, "\(hertz) Hz: \(measured), \(expected)")
            // The two fields of a frame differ by half a line, so there are lines between two harmonics, too.
            let between = lineAmplitude(buzz, hertz: hertz + fieldRate / 4, rate: 48_000)
            #expect(between < measured / 100)
        }
    }

    @Test func hiFiTracksHaveNoBuzz() {
        let settings = TapeSettings.clean.with { ($0.track, $0.buzz) = (.hiFi, -20) }
        #expect(level(Sound(seconds: 0.5).played(settings).channels[0]) == 0)
    }

    // MARK: Clicks

    /// A click in each field, and no sound between them; the level is the setting.
    @Test(arguments: [(TelevisionStandard.ntsc, 60_000 / 1_001.0), (.pal, 50)])
    func hiFiHeadsClickInEachField(standard: TelevisionStandard, fieldRate: Double) {
        let settings = TapeSettings.clean.with {
            ($0.track, $0.standard, $0.switchingNoise) = (.hiFi, standard, -40)
            $0.picture.trackingNoise = false
        }
        let clicks = Sound(seconds: 2).played(settings).channels[0]
        let peak = clicks.map { abs($0) }.max()!
        #expect(abs(decibels(Double(peak)) + 40) < 3)
        let loud = clicks.indices.filter { abs(clicks[$0]) > peak / 4 }
        var starts: [Int] = []
        for index in loud where starts.isEmpty || index - starts.last! > 400 { starts.append(index) }
        #expect(abs(Double(starts.count) - 2 * fieldRate) <= 1)
        for (one, next) in zip(starts, starts.dropFirst()) {
            #expect(abs(Double(next - one) - 48_000 / fieldRate) <= 2)
        }
        // The heads change 6.5 lines before the end of a field.
        let linesInField = standard == .ntsc ? 262.5 : 312.5
        #expect(abs(Double(starts[0]) / 48_000 * fieldRate - (1 - 6.5 / linesInField)) < 0.005)
    }

    @Test func clicksAreLouderWithBadTracking() {
        let settings = TapeSettings.clean.with { ($0.track, $0.switchingNoise) = (.hiFi, -50) }
        func clicks(height: Int32) -> Double {
            level(Sound(seconds: 1).played(settings.with { $0.picture.trackingNoiseHeight = height }).channels[0])
        }
        #expect(abs(decibels(clicks(height: 120) / clicks(height: 0)) - 20) < 0.1)
    }
}
