import Durations
import SendspinProtocol
import Testing

/// Tests the corrector with a simulated device, whose true error is known.
@Suite struct FrameCorrectorTests {
    /// Plays a minute `runs` times, with start errors of up to 0.1 ms.
    private static func play(_ runs: UInt64 = 10, _ change: (inout SimulatedDevice) -> Void)
        -> [SimulatedDevice.Result]
    {
        (1...runs).map { seed in
            var device = SimulatedDevice()
            device.seed = seed
            device.startError = [-100e-6, 0, 100e-6][Int(seed % 3)]
            change(&device)
            return device.play(seconds: 60)
        }
    }

    /// Checks that corrections are not close together or in the first second, rarely reverse, and are never snaps.
    private static func checkLimits(_ results: [SimulatedDevice.Result], turns: Int) {
        for result in results {
            #expect(result.closest >= 0.02499)
            #expect(!result.corrections.contains { $0.time < 1 })
            #expect(result.snaps.isEmpty)
            #expect(result.turns <= turns)
        }
    }

    @Test(arguments: [-100, -20, 0, 20, 100] as [Double], [480, 1200, 4608])
    func aSmoothClockIsFollowedWithinATenthOfAMillisecond(drift: Double, frames: Int) {
        for (jitter, runs, limit) in [(0, 3, 25e-6), (50e-6, 20, 75e-6)] as [(Double, UInt64, Double)] {
            let results = Self.play(runs) { ($0.drift, $0.bufferFrames, $0.jitter) = (drift, frames, jitter) }
            Self.checkLimits(results, turns: 2)
            for result in results {
                #expect(result.error(0.99, from: 3) <= limit)
                // The limit of 0.25 ms holds from the first sample.
                #expect(result.error(1, from: 0) <= 250e-6)
            }
        }
    }

    @Test(arguments: [-300, 300] as [Double], [480, 1200, 4608])
    func aPoorCrystalIsFollowedWithinATenthOfAMillisecond(drift: Double, frames: Int) {
        let results = Self.play { ($0.drift, $0.bufferFrames, $0.jitter) = (drift, frames, 50e-6) }
        Self.checkLimits(results, turns: 1)
        for result in results { #expect(result.error(0.99, from: 3) <= 75e-6) }
    }

    /// With a large jitter, the corrector requires more measurements, of which buffers of 96 ms give ten per second.
    @Test(arguments: [-100, 0, 100] as [Double], [(960, 3.0), (1200, 3), (4608, 20)])
    func aNoisyClockIsFollowed(drift: Double, frames: (count: Int, after: Double)) {
        let results = Self.play {
            ($0.drift, $0.bufferFrames, $0.jitter, $0.spikes) = (drift, frames.count, 200e-6, 0.01)
        }
        Self.checkLimits(results, turns: 5)
        for result in results { #expect(result.error(0.99, from: frames.after) <= 110e-6) }
    }

    @Test(arguments: [8000, 44_100, 96_000, 192_000], [-300, 300] as [Double])
    func followsAtEachSampleRate(rate: Int, drift: Double) {
        let results = Self.play {
            ($0.rate, $0.drift, $0.jitter, $0.bufferFrames) = (rate, drift, 30e-6, rate / 40)
        }
        for result in results {
            #expect(result.error(0.99, from: 3) <= 100e-6)
            #expect(result.snaps.isEmpty)
        }
    }

    @Test func correctionsOfAConstantRateAreEvenlySpread() {
        var device = SimulatedDevice()
        device.drift = -100
        device.jitter = 20e-6
        let times = device.play(seconds: 60).corrections.map(\.time).filter { $0 > 10 }
        let distances = zip(times, times.dropFirst()).map { $1 - $0 }
        // 100 ppm of 48000 frames are 4.8 per second.
        #expect((235...245).contains(times.count))
        #expect(distances.allSatisfy { (0.09...0.36).contains($0) })
    }

    /// A start error of up to 1 ms is removed by single frames.
    @Test(arguments: [-0.85e-3, -0.5e-3, 0.5e-3, 0.85e-3], [480, 1200, 4608])
    func removesASmallStartErrorWithoutASnap(start: Double, frames: Int) {
        let results = Self.play {
            ($0.startError, $0.bufferFrames, $0.jitter) = (start, frames, 30e-6)
            $0.drift = start > 0 ? 100 : -100
        }
        Self.checkLimits(results, turns: 2)
        for result in results { #expect(result.error(1, from: 3) <= 100e-6) }
    }

    @Test(arguments: [-0.5, -30e-3, -1.5e-3, 1.5e-3, 30e-3, 0.4], [480, 1200, 4608])
    func snapsALargeStartErrorOnce(start: Double, frames: Int) throws {
        for result in Self.play(10, { ($0.startError, $0.bufferFrames, $0.jitter) = (start, frames, 30e-6) }) {
            #expect(try #require(result.snaps.first).time <= 0.5)
            // Together, the snaps correct the start error, except the noise of the first estimate.
            let moved = result.snaps.map(\.frames).reduce(0, +)
            #expect(abs(Double(moved) / 48_000 + start) <= 100e-6)
            // Silence is inserted in parts of 100 ms.
            #expect(try #require(result.snaps.last).time <= 1)
            #expect(result.error(1, from: 1.1) <= 300e-6)
            #expect(result.error(1, from: 3) <= 100e-6)
        }
    }
}
