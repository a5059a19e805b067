import AnalogAudio
import Foundation
import Testing

/// Gain, level control and clipping of the recording.
struct RecordingTests {
    @Test(arguments: [-20 as Float, 6, 20])
    func recordLevelIsAGain(level gain: Float) {
        let tone = Sound(hertz: 1_000, amplitude: 0.01, seconds: 0.5)
        let output = tone.played(.clean.with { ($0.track, $0.recordLevel) = (.hiFi, gain) })
        let ratio = level(output.channels[0].dropFirst(4_800)) / level(tone.channels[0])
        #expect(abs(decibels(ratio) - Double(gain)) < 0.05)
    }

    /// A tone of three times the limit has the spectrum of a clipped sine.
    @Test func theTapeClips() {
        let settings = TapeSettings.clean.with { ($0.track, $0.clipLevel, $0.emphasis) = (.hiFi, -6, 0) }
        let limit = pow(10, -6.0 / 20)
        let output = Sound(hertz: 100, amplitude: 3 * limit, seconds: 1).played(settings).channels[0].dropFirst(9_600)
        // Amplitude of a harmonic of a sine that is clipped at the angle θ = asin(1/3), by numeric integration.
        for harmonic in [1, 3, 5] {
            let steps = 100_000
            let expected =
                (0..<steps).map { step -> Double in
                    let angle = 2 * Double.pi * (Double(step) + 0.5) / Double(steps)
                    return min(max(3 * limit * sin(angle), -limit), limit) * sin(Double(harmonic) * angle)
                }.reduce(0, +) * 2 / Double(steps)
            let measured = lineAmplitude(output, hertz: 100 * Double(harmonic), rate: 48_000)
            #expect(abs(decibels(measured / expected)) < 0.3, "\(harmonic): \(measured), \(expected)")
        }
    }

    @Test(arguments: [0.02, 0.9], [-12 as Float, -20])
    func levelControlReachesItsTarget(amplitude: Double, target: Float) {
        let settings = TapeSettings.clean.with {
            ($0.track, $0.levelControl, $0.levelControlTarget, $0.clipLevel) = (.hiFi, true, target, 20)
        }
        let tone = Sound(hertz: 1_000, amplitude: amplitude, seconds: 12)
        let peak = tone.played(settings).channels[0].suffix(48_000).map { abs($0) }.max()!
        // The most that soft sound is amplified is 20 dB.
        let expected = min(Double(target), decibels(amplitude) + 20)
        #expect(abs(decibels(Double(peak)) - expected) < 1, "\(decibels(Double(peak)))")
    }

    @Test func levelControlKeepsTheBalance() {
        let settings = TapeSettings.clean.with { ($0.track, $0.levelControl) = (.hiFi, true) }
        var tone = Sound(hertz: 1_000, amplitude: 0.5, seconds: 2, channels: 2)
        tone.channels[1] = tone.channels[1].map { $0 / 10 }
        // At the begin, the control attenuates sound that clips.
        let output = tone.played(settings).channels.map { $0.dropFirst(48_000) }
        #expect(abs(decibels(level(output[0]) / level(output[1])) - 20) < 0.01)
    }

    @Test func theLinearTrackIsTheMeanOfTheChannels() {
        var tone = Sound(hertz: 1_000, amplitude: 0.4, seconds: 0.5, channels: 4)
        for channel in 1..<4 { tone.channels[channel] = tone.channels[channel].map { _ in 0 } }
        let output = tone.played(.clean)
        for channel in output.channels {
            #expect(abs(decibels(level(channel.dropFirst(4_800)) / 0.1 * 2.0.squareRoot())) < 0.1)
        }
    }
}
