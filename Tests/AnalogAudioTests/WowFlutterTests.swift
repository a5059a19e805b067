import AnalogAudio
import Foundation
import Testing

/// Wow and flutter, read by a meter after IEC 60386 with a tone of 3,150 Hz.
struct WowFlutterTests {
    /// 10 s of the tone; the meter needs some seconds.
    private static let tone = Sound(hertz: 3_150, amplitude: 0.3, seconds: 10)

    private func reading(_ settings: TapeSettings) -> Double {
        FlutterMeter.reading(Self.tone.played(settings).channels[0], rate: Self.tone.rate)
    }

    /// IEC 60386 lists the readings of pulses, with tolerances, and the return after pulses in each second.
    @Test func theMeterHasTheDynamicsOfTheStandard() {
        for (milliseconds, reading, tolerance) in [(10, 0.21, 0.03), (30, 0.62, 0.06), (60, 0.9, 0.06), (100, 1, 0.04)]
        {
            #expect(abs(FlutterMeter.pulseReading(milliseconds: milliseconds) - reading) <= tolerance)
        }
        #expect((0.36...0.44).contains(FlutterMeter.remainder()))
    }

    @Test func theMeterReadsNothingOnAConstantSpeed() { #expect(reading(.clean) < 0.002) }

    @Test(arguments: [(0.1, 0.4), (0.25, 0.4), (1, 0.4), (0.3, 0), (0.3, 1), (0.3, 0.7), (2, 0)])
    func theMeterReadsTheSetting(percent: Double, share: Double) {
        let settings = TapeSettings.clean.with {
            ($0.linearWowFlutter, $0.flutterShare) = (Float(percent), Float(share))
        }
        let measured = reading(settings)
        #expect(abs(measured / percent - 1) < 0.1, "\(measured) % for \(percent) %")
    }

    @Test(arguments: [3 as Int32, -9, .max])
    func theReadingDoesNotDependOnTheSeed(seed: Int32) {
        let measured = reading(.clean.with { ($0.linearWowFlutter, $0.picture.randomSeed) = (0.25, seed) })
        #expect(abs(measured / 0.25 - 1) < 0.1, "\(measured) %")
    }

    /// Independent errors add as the root of the sum of squares.
    @Test func generationsAddTheirErrors() {
        let settings = TapeSettings.clean.with { ($0.linearWowFlutter, $0.generations) = (0.2, 4) }
        #expect(abs(reading(settings) / 0.4 - 1) < 0.1)
    }

    @Test func hiFiTracksHaveTheirOwnSetting() {
        let settings = TapeSettings.clean.with { ($0.track, $0.linearWowFlutter, $0.hiFiWowFlutter) = (.hiFi, 1, 0.05) }
        #expect(abs(reading(settings) / 0.05 - 1) < 0.1)
    }

    /// The largest delay of all shares, by the formulas of docs/elements/tapeaudio.md.
    @Test(arguments: [8_000, 11_025, 22_050, 32_000, 44_100, 48_000, 96_000, 192_000])
    func theDelayLineIsLongEnoughForEveryShare(rate: Int) {
        let delay = TapePlayer(SoundLayout(rate: rate, channels: 1, sample: .float32)).delay
        let peak = 0.02 * 8.0.squareRoot()
        let largest = stride(from: 0, through: 1, by: 0.0005).map { share -> Double in
            let parts = [(1.9, 1 - share, 0.965), (6.7, 0.7 * share, 1.0), (29.97, 0.3 * share, 1.0)]
            let reading = pow(parts.reduce(0) { $0 + pow($1.1 * $1.2, 4.0 / 3) }, 3.0 / 4)
            return parts.reduce(0) { $0 + $1.1 / (2 * Double.pi * $1.0 * FlutterMeter.weight($1.0)) } * peak / reading
        }.max()!
        // The interpolation needs 16 samples on each side.
        #expect(Double(delay) >= largest * Double(rate) + 16)
        #expect(Double(delay) < largest * Double(rate) + 18)
    }

    /// With the largest errors the delay stays in the line: nothing traps, and the tone keeps its level.
    @Test(arguments: [8_000, 44_100, 192_000], [0, 0.25, 0.5, 1])
    func theLargestErrorStaysInTheDelayLine(rate: Int, share: Double) {
        let settings = TapeSettings.clean.with {
            ($0.linearWowFlutter, $0.flutterShare, $0.generations) = (2, Float(share), 8)
            ($0.lowCut, $0.highCut, $0.emphasis) = (1, Float(rate), 0)
        }
        let tone = Sound(hertz: 440, amplitude: 0.5, seconds: 2, rate: rate)
        let output = tone.played(settings).channels[0].dropFirst(rate / 2)
        #expect(abs(decibels(level(output) / level(tone.channels[0]))) < 0.5)
    }
}
