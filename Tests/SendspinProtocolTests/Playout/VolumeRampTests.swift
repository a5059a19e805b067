@testable import SendspinProtocol
import Testing

/// Tests of volume and mute.
@Suite struct VolumeRampTests {
    private static func apply(_ ramp: inout VolumeRamp, to samples: [Double], _ format: SampleFormat, channels: Int)
        -> [Double]
    {
        var data = PlayoutSignal.encode(samples, format)
        var span = data.mutableSpan
        var bytes = span.mutableBytes
        ramp.apply(to: &bytes, format: format, channels: channels)
        return PlayoutSignal.decode(data, format)
    }

    @Test(arguments: [(0, 0), (1, 0.001), (25, 0.125), (50, 0.353_553), (64, 0.512), (100, 1), (-5, 0), (300, 1)])
    func theGainIsThePower(volume: Int, gain: Double) { #expect(abs(VolumeRamp.gain(volume: volume) - gain) < 1e-6) }

    /// The samples of all players have the same bits.
    @Test(arguments: 0...100) func theStandardGainIsAProductOfASquareRoot(volume: Int) {
        let ratio = Double(volume) / 100
        #expect(VolumeRamp.gain(volume: volume) == ratio * ratio.squareRoot())
    }

    @Test(arguments: [(1.0, 0.5), (3, 0.125), (4, 0.0625)])
    func theCurveIsTheExponent(curve: Double, gain: Double) {
        var ramp = VolumeRamp(volume: 100, isMuted: false, rate: 48_000, curve: curve)
        #expect(ramp.isTransparent)
        ramp.set(volume: 50, isMuted: false)
        #expect(Self.apply(&ramp, to: [Double](repeating: 1, count: 960), .float64, channels: 1).last == gain)
        #expect(VolumeRamp(volume: 50, isMuted: false, rate: 48_000, curve: curve).gain == gain)
    }

    @Test(arguments: SampleFormat.all, [1, 2, 6])
    func changesTheVolumeWithoutAStep(format: SampleFormat, channels: Int) {
        var ramp = VolumeRamp(volume: 100, isMuted: false, rate: 48_000)
        ramp.set(volume: 25, isMuted: false)
        let output = Self.apply(
            &ramp, to: [Double](repeating: 0.5, count: 2000 * channels), format, channels: channels)
        for frame in 0..<2000 {
            // All channels have the same gain.
            let values = output[(frame * channels)..<((frame + 1) * channels)]
            #expect(Set(values).count == 1)
        }
        let first = stride(from: 0, to: output.count, by: channels).map { output[$0] }
        let greatest = 5e-4 + max(PlayoutSignal.tolerance(format), 1e-4)
        #expect(zip(first, first.dropFirst()).allSatisfy { $0 - $1 > -1e-9 && $0 - $1 < greatest })
        // The ramp takes 20 ms, 960 frames.
        #expect(first[900] > 0.08)
        #expect(first[961...].allSatisfy { abs($0 - 0.0625) < 1e-4 })
        #expect(ramp.gain == 0.125)
    }

    @Test func mutesIndependentlyOfTheVolume() {
        var ramp = VolumeRamp(volume: 64, isMuted: true, rate: 48_000)
        #expect(Self.apply(&ramp, to: [1, -1], .float64, channels: 2) == [0, 0])
        ramp.set(volume: 25, isMuted: true)
        ramp.set(volume: 25, isMuted: false)
        let output = Self.apply(&ramp, to: [Double](repeating: 1, count: 1000), .float64, channels: 1)
        #expect(output.first == 0.125 / 960)
        #expect(output.last == 0.125)
        #expect(ramp.gain == VolumeRamp.gain(volume: 25))
    }

    @Test func aChangeDuringARampStartsFromItsGain() {
        var ramp = VolumeRamp(volume: 100, isMuted: false, rate: 48_000)
        ramp.set(volume: 0, isMuted: false)
        var output = Self.apply(&ramp, to: [Double](repeating: 1, count: 480), .float64, channels: 1)
        ramp.set(volume: 100, isMuted: false)
        output += Self.apply(&ramp, to: [Double](repeating: 1, count: 1000), .float64, channels: 1)
        #expect(PlayoutSignal.greatestStep(output) < 1.01 / 960)
        #expect(output.last == 1)
        #expect(ramp.isTransparent)
    }

    @Test func fullVolumeChangesNothing() {
        var ramp = VolumeRamp(volume: 100, isMuted: false, rate: 48_000)
        #expect(ramp.isTransparent)
        let samples = PlayoutSignal.sine(440, frames: 100)
        #expect(Self.apply(&ramp, to: samples, .float64, channels: 1) == samples)
        ramp.set(volume: 50, isMuted: false)
        #expect(!ramp.isTransparent)
        _ = Self.apply(&ramp, to: [Double](repeating: 1, count: 960), .float64, channels: 1)
        #expect(ramp.gain == VolumeRamp.gain(volume: 50))
    }

    @Test func ignoresAnIncompleteFrame() {
        var ramp = VolumeRamp(volume: 0, isMuted: false, rate: 48_000)
        #expect(Self.apply(&ramp, to: [1, 1, 1], .float64, channels: 2) == [0, 0, 1])
        #expect(Self.apply(&ramp, to: [1], .float64, channels: 0) == [1])
    }
}
