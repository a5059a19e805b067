import TestSupport
import Durations
import SendspinProtocol
import Testing

/// Tests the corrector with a disturbance of the playback after 20 s.
@Suite struct FrameCorrectorEventTests {
    private static func play(
        _ frames: Int, drift: Double = 100, _ change: (inout SimulatedDevice) -> Void
    ) -> [SimulatedDevice.Result] {
        (1...10 as ClosedRange<UInt64>).flatMap { seed in
            [-drift, drift].map { drift in
                var device = SimulatedDevice()
                (device.seed, device.drift, device.jitter, device.bufferFrames) = (seed, drift, 30e-6, frames)
                change(&device)
                return device.play(seconds: 40)
            }
        }
    }

    /// The corrector must detect an underrun from measurements, because no call of `discontinuity` reports it.
    @Test(arguments: [-20e-3, 2e-3, 50e-3], [480, 1200, 4608])
    func snapsAfterAnUnderrun(length: Double, frames: Int) {
        for result in Self.play(frames, { $0.underruns = [20: length] }) {
            #expect(result.snaps.allSatisfy { (20.1...21.1).contains($0.time) })
            #expect(abs(Double(result.snaps.map(\.frames).reduce(0, +)) / 48_000 + length) <= 200e-6)
            #expect(result.error(1, from: 21.2) <= 200e-6)
            #expect(result.error(1, from: 23) <= 100e-6)
        }
    }

    /// The first measurements must not outweigh those after an underrun among them.
    @Test(arguments: [0.05, 0.1, 0.2, 0.4, 0.8], [480, 1200, 4608, 4800])
    func snapsAfterAnUnderrunAtTheStart(time: Double, frames: Int) {
        for result in Self.play(frames, { $0.underruns = [time: 5e-3] }) {
            #expect(result.error(1, from: 4) <= 200e-6)
        }
    }

    /// The jumps of a busy machine are no rate of the device.
    @Test(arguments: [480, 1200, 1920, 4800], [false, true])
    func recoversFromABurstOfUnderruns(frames: Int, isSmoothed: Bool) {
        let jumps = [5e-3, -8e-3, 9e-3, -6e-3, 12e-3, -13e-3, 8e-3, -5e-3].enumerated()
        let burst = Dictionary(uniqueKeysWithValues: jumps.map { (20 + 0.3 * Double($0), $1) })
        for result in Self.play(frames, { ($0.underruns, $0.isSmoothed) = (burst, isSmoothed) }) {
            #expect(result.error(1, from: isSmoothed ? 35 : 26) <= 200e-6)
        }
    }

    @Test(arguments: [480, 1200, 1920, 2400, 3600, 4608], [0.1e-3, 0.2e-3, 0.5e-3])
    func recoversFromARowOfUnderruns(frames: Int, length: Double) {
        let row = Dictionary(uniqueKeysWithValues: (0..<60).map { (20 + 0.1 * Double($0), length) })
        for result in Self.play(frames, { $0.underruns = row }) {
            #expect(result.error(1, from: 33) <= 400e-6)
        }
    }

    @Test(arguments: [-0.4e-3, 0.4e-3], [480, 1200, 4608])
    func removesAShortUnderrunWithoutASnap(length: Double, frames: Int) {
        for result in Self.play(frames, { $0.underruns = [20: length] }) {
            #expect(result.snaps.isEmpty)
            #expect(result.error(1, from: 23) <= 100e-6)
        }
    }

    /// After a pause, the corrector keeps the rate of the device, and makes no single corrections for a second.
    @Test(arguments: [0.2e-3, 0.4e-3, 2e-3, 50e-3], [480, 1200, 4608])
    func recoversAfterAPause(length: Double, frames: Int) {
        for result in Self.play(frames, { $0.pauses = [20: length] }) {
            #expect(result.snaps.isEmpty == (length < 1e-3))
            #expect(!result.corrections.contains { (20.1..<20.9).contains($0.time) })
            #expect(result.error(1, from: 23) <= 100e-6)
        }
    }

    /// The estimate of the server clock changes after each burst of exchanges.
    @Test(arguments: [-100e-6, -50e-6, 50e-6, 100e-6], [480, 1200, 4608])
    func followsSmallChangesOfTheServerClock(change: Double, frames: Int) {
        for result in Self.play(frames, { $0.clockChanges = [20: change, 25: -change] }) {
            #expect(result.snaps.isEmpty)
            #expect(result.error(0.99, from: 3) <= 110e-6)
            #expect(result.error(1, from: 28) <= 100e-6)
        }
    }

    /// The errors are those of PulseAudio on a machine with compilers on all processors.
    @Test(arguments: [-6e-3, 0.5e-3, 2e-3], [240, 1920, 4608])
    func ignoresWrongReportsOfASoundServer(error: Double, frames: Int) {
        for result in Self.play(frames, { ($0.wrongReports, $0.isSmoothed) = ([20: error, 35: -error], true) }) {
            #expect(result.snaps.isEmpty)
            #expect(result.error(1, from: 10) <= 200e-6)
        }
    }

    @Test(arguments: [(-20e-3, 20...21.1), (3e-3, 25...26)], [240, 1920, 4608])
    func snapsAfterAnUnderrunOfASoundServer(underrun: (length: Double, snaps: ClosedRange<Double>), frames: Int) {
        for result in Self.play(frames, { ($0.underruns, $0.isSmoothed) = ([20: underrun.length], true) }) {
            #expect(!result.snaps.isEmpty)
            #expect(result.snaps.allSatisfy { underrun.snaps.contains($0.time) })
            #expect(result.error(1, from: underrun.snaps.upperBound) <= 200e-6)
        }
    }

    /// A wrong first report must not outweigh the right ones that follow.
    @Test(arguments: [1920, 4608])
    func recoversFromAWrongFirstReportOfASoundServer(frames: Int) {
        for result in Self.play(frames, { ($0.wrongReports, $0.isSmoothed) = ([0: 2e-3], true) }) {
            // The report lasts 9 s, and its measurements count for 20 s.
            #expect(result.error(1, from: 29) <= 200e-6)
        }
    }

    @Test(arguments: [true, false], [240, 1920, 4608])
    func noSnapFollowsTheFirstReportsOfASoundServer(isFirstRight: Bool, frames: Int) {
        let errors = isFirstRight ? SimulatedDevice.rightStart : SimulatedDevice.wrongStart
        for gap in [0.0..<0, 4..<6] {
            let results = Self.play(frames, drift: 20) {
                ($0.clockErrors, $0.startError, $0.unmeasured, $0.isSmoothed) = (errors, -errors[0], gap, true)
            }
            for result in results {
                #expect(result.snaps.isEmpty)
                #expect(result.error(1, from: 3) <= 1.4e-3)
                #expect(result.error(1, from: 30) <= 300e-6)
            }
        }
    }

    /// The clock of pipewire-pulse; the limits are about those of a regression line.
    @Test(arguments: [(3e-3, 1e-3), (6e-3, 2e-3)], [480, 1920, 4608])
    func aClockThatScattersIsAveraged(clock: (jitter: Double, error: Double), frames: Int) {
        for result in Self.play(frames, drift: 30, { ($0.jitter, $0.isSmoothed) = (clock.jitter, true) }) {
            #expect(result.error(1, from: 20) <= clock.error)
        }
    }

    /// Rates up to twice that of crystals are followed from the start on.
    @Test(arguments: [100.0, 200], [240, 1920, 4608])
    func rateBehindASoundServerIsFoundWithoutASnap(drift: Double, frames: Int) {
        for result in Self.play(frames, drift: drift, { $0.isSmoothed = true }) {
            #expect(result.snaps.isEmpty)
            #expect(result.error(1, from: 3) <= 450e-6)
        }
    }

    /// No crystal has this rate, but the clock of a server may while NTP corrects it.
    @Test(arguments: [300.0, 500], [240, 1920, 4608])
    func aLargeRateBehindASoundServerIsFoundWithin25Seconds(drift: Double, frames: Int) {
        for result in Self.play(frames, drift: drift, { $0.isSmoothed = true }) {
            #expect(result.error(1, from: 3, to: 25) <= 11e-3)
            #expect(result.error(1, from: 26) <= 100e-6)
        }
    }

    /// More than the single frames of long buffers can correct.
    @Test(arguments: [240, 1920, 4608]) func aRateNearTheLargestBehindASoundServerIsFound(frames: Int) {
        for result in Self.play(frames, drift: 980, { $0.isSmoothed = true }) {
            #expect(abs(result.drift.magnitude - 980e-6) <= 20e-6)
        }
    }

    @Test(arguments: [240, 1920, 4608])
    func aWrongReportDoesNotHideAnUnderrunOfASoundServer(frames: Int) {
        let results = Self.play(frames) {
            ($0.wrongReports, $0.underruns, $0.isSmoothed) = ([25: 1e-3], [25.5: 20e-3], true)
        }
        for result in results { #expect(result.snaps.map(\.time).first.map { (25.5...26.5).contains($0) } == true) }
    }

    @Test(arguments: [-20e-3, 20e-3], [480, 1200, 4608])
    func snapsAfterAStepOfTheServerClock(change: Double, frames: Int) {
        for result in Self.play(frames, { $0.clockChanges = [20: change] }) {
            #expect(!result.snaps.isEmpty)
            #expect(result.error(1, from: 23) <= 100e-6)
        }
    }

    @Test(arguments: [480, 1200])
    func snapsAfterAnUnderrunOfADeviceWithSteps(frames: Int) {
        for result in Self.play(frames, { ($0.underruns, $0.isPaced) = ([20: 50e-3], true) }) {
            #expect(!result.snaps.isEmpty)
            #expect(result.error(1, from: 23) <= 110e-6)
        }
    }

    @Test(arguments: [true, false]) func survivesExtremeMeasurements(isSmoothed: Bool) {
        var corrector = FrameCorrector(rate: 48_000)
        corrector.isSmoothed = isSmoothed
        var random = Random(seed: 1)
        for _ in 0..<20_000 {
            let nanoseconds = [Int64.max, .min, 0, 1, -3_600_000_000_000, 5_000_000].randomElement(using: &random) ?? 0
            corrector.measured(.nanoseconds(nanoseconds))
            let frames = [0, -5, 1, 480, 100_000].randomElement(using: &random) ?? 0
            let plan = corrector.plan(frames)
            #expect(plan.frames == max(frames, 0))
            #expect(plan.outputFrames >= 0)
            #expect(plan.change <= 4800)
        }
    }

    @Test func correctsNothingWithoutMeasurements() {
        var corrector = FrameCorrector(rate: 48_000)
        for _ in 0..<1000 { #expect(corrector.plan(480) == .unchanged(480)) }
        #expect(corrector.error == nil)
    }

    @Test func stopsWhenTheClockCannotBeRead() {
        var corrector = FrameCorrector(rate: 48_000)
        for index in 0..<400 {
            corrector.measured(.microseconds(index))
            _ = corrector.plan(480)
        }
        let plans = (0..<2000).map { _ in corrector.plan(480).kind }
        // The corrector extrapolates the error for 5 s after the last measurement.
        #expect(plans.prefix(480).contains(.single))
        #expect(!plans.dropFirst(520).contains(.single))
    }
}
