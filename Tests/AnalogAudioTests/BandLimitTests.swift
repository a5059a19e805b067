import AnalogAudio
import Foundation
import Testing

/// The gain at frequencies of a swept sine, from the quotient of the spectra.
struct BandLimitTests {
    private static let rate = 48_000

    /// An exponential sweep from 10 Hz to 23 kHz at -20 dB, then silence, in which the filters ring out.
    private static let sweep: Sound = {
        let (seconds, low, high) = (4.0, 10.0, 23_000.0)
        let slope = log(high / low) / seconds
        let samples = (0..<Int(seconds * Double(rate))).map { index -> Float in
            let time = Double(index) / Double(rate)
            return Float(0.1 * sin(2 * Double.pi * low * (exp(slope * time) - 1) / slope))
        }
        return Sound([samples + [Float](repeating: 0, count: rate)], rate: rate)
    }()

    private func gains(_ settings: TapeSettings, at frequencies: [Double]) -> [Double] {
        let output = Self.sweep.played(settings)
        return frequencies.map {
            decibels(
                magnitude(output.channels[0], hertz: $0, rate: Self.rate)
                    / magnitude(Self.sweep.channels[0], hertz: $0, rate: Self.rate))
        }
    }

    /// Gain of Butterworth filters: a high-pass of second and a low-pass of fourth order.
    ///
    /// The bilinear transform maps the frequency f to tan(π f / rate); it is exact at the cut-off.
    private func formula(_ hertz: Double, low: Double, high: Double) -> Double {
        func warped(_ hertz: Double) -> Double { tan(Double.pi * hertz / Double(Self.rate)) }
        let lowRatio = warped(low) / warped(hertz)
        let highRatio = high < 0.49 * Double(Self.rate) ? warped(hertz) / warped(high) : 0
        return -10 * log10(1 + pow(lowRatio, 4)) - 10 * log10(1 + pow(highRatio, 8))
    }

    @Test(arguments: [
        (SoundTrack.linear, SoundTapeSpeed.sp, 100.0, 10_000.0), (.linear, .lp, 100, 7_000), (.linear, .ep, 100, 4_000),
        (.hiFi, .ep, 20, 20_000),
    ])
    func theBandIsThatOfTheTrack(track: SoundTrack, speed: SoundTapeSpeed, low: Double, high: Double) {
        let settings = TapeSettings.clean.with { ($0.track, $0.tapeSpeed) = (track, speed) }
        let frequencies = [low / 2, low, low * 2, 440, 1_000, high / 2, high * 0.9, high, min(high * 1.1, 22_000)]
        for (hertz, gain) in zip(frequencies, gains(settings, at: frequencies)) {
            #expect(abs(gain - formula(hertz, low: low, high: high)) < 1, "\(hertz) Hz: \(gain) dB")
        }
        let limits = gains(settings, at: [low, high])
        for gain in limits { #expect(abs(gain + 3) < 1) }
    }

    @Test func lowCutAndHighCutReplaceTheLimits() {
        for track in [SoundTrack.none, .linear, .hiFi] {
            let settings = TapeSettings.clean.with { ($0.track, $0.lowCut, $0.highCut) = (track, 300, 3_000) }
            for gain in gains(settings, at: [300, 3_000]) { #expect(abs(gain + 3) < 0.5, "\(track)") }
        }
    }

    @Test func withoutATapeTheBandIsNotLimited() {
        let settings = TapeSettings.clean.with { $0.track = .none }
        for gain in gains(settings, at: [12, 100, 1_000, 20_000]) { #expect(abs(gain) < 0.01) }
    }

    /// The interpolation of the delay line must not attenuate what the track records.
    @Test func speedErrorsOfHiFiTracksKeepHighFrequencies() {
        let settings = TapeSettings.clean.with { ($0.track, $0.hiFiWowFlutter) = (.hiFi, 0.005) }
        // The sideband of the speed error is left out by the width of the window: the tone is 1 s long.
        let tone = Sound(hertz: 18_000, amplitude: 0.1, seconds: 1)
        let output = tone.played(settings).channels[0]
        #expect(
            abs(decibels(level(output[4_800...]) / level(tone.channels[0])) - formula(18_000, low: 20, high: 20_000))
                < 0.3)
    }

    /// The boost is a shelf of first order: 1 + b s / (s + w), with its corner at the limit of the track.
    @Test(arguments: [0.25, 1, 4])
    func trebleBoostRaisesHighFrequencies(boost: Double) {
        let flat = TapeSettings.clean.with { $0.tapeSpeed = .sp }
        let frequencies = [500.0, 2_000, 5_000, 9_000]
        let differences = zip(
            gains(flat.with { $0.trebleBoost = Float(boost) }, at: frequencies), gains(flat, at: frequencies)
        ).map { $0 - $1 }
        for (hertz, difference) in zip(frequencies, differences) {
            let x = hertz / 10_000
            let expected = 10 * log10((1 + pow(x * (1 + boost), 2)) / (1 + x * x))
            #expect(abs(difference - expected) < 0.7, "\(hertz) Hz: \(difference) dB, \(expected)")
        }
    }

    /// The gain of the mean over the time τ is sinc(f τ), with τ = 1 mm tan α / v.
    @Test(arguments: [(SoundTapeSpeed.sp, 33.35), (.lp, 16.67), (.ep, 11.12)])
    func azimuthErrorLosesHighFrequencies(speed: SoundTapeSpeed, millimetresPerSecond: Double) {
        let flat = TapeSettings.clean.with { ($0.tapeSpeed, $0.highCut) = (speed, 12_000) }
        let minutes = 6.0
        let time = tan(minutes / 60 * Double.pi / 180) / millimetresPerSecond
        // Up to half of the first zero.
        let frequencies = [0.1, 0.3, 0.5].map { $0 / time }.filter { $0 < 11_000 }
        let differences = zip(
            gains(flat.with { $0.azimuthError = Float(minutes) }, at: frequencies), gains(flat, at: frequencies)
        ).map { $0 - $1 }
        for (hertz, difference) in zip(frequencies, differences) {
            let angle = Double.pi * hertz * time
            #expect(abs(difference - decibels(sin(angle) / angle)) < 0.5, "\(hertz) Hz: \(difference) dB")
        }
    }

    /// Each generation passes the filters once more.
    @Test func generationsNarrowTheBand() {
        let settings = TapeSettings.clean.with { ($0.tapeSpeed, $0.generations) = (.sp, 3) }
        for gain in gains(settings, at: [100, 10_000]) { #expect(abs(gain + 9) < 1) }
    }

    /// Emphasis raises high frequencies on the tape, so that they clip at lower levels; without clipping it is undone.
    @Test func emphasisIsUndoneUnlessTheTapeClips() {
        let settings = TapeSettings.clean.with { ($0.tapeSpeed, $0.emphasis) = (.sp, 0) }
        let emphasized = settings.with { $0.emphasis = 50 }
        let frequencies = [200.0, 1_000, 5_000, 9_000]
        for (one, other) in zip(gains(settings, at: frequencies), gains(emphasized, at: frequencies)) {
            #expect(abs(one - other) < 0.01)
        }
        let tone = Sound(hertz: 8_000, amplitude: 0.5, seconds: 0.5)
        let (plain, clipped) = (tone.played(settings), tone.played(emphasized))
        #expect(level(clipped.channels[0]) < 0.9 * level(plain.channels[0]))
    }
}
