import TestSupport
import Durations
import SendspinProtocol

/// A simulated audio device with an inexact crystal and clock, which plays the output of a corrector.
///
/// Frame `n` of the stream is intended for the time `n / rate`. The device plays one frame each `(1 + drift) / rate`
/// seconds.
struct SimulatedDevice {
    var rate = 48_000
    /// Frequency error in parts per million, which is positive if the device is too slow.
    var drift = 0.0
    /// Error of the first frame in seconds.
    var startError = 0.0
    /// Standard deviation of the measurements in seconds.
    var jitter = 0.0
    /// Whether the clock moves in steps, and the device paces the stream so that it is read just after a step.
    var isPaced = false
    /// Probability that a measurement is wrong by up to 5 ms.
    var spikes = 0.0
    /// Frames of a buffer.
    var bufferFrames = 1200
    /// Duration of the silence of each underrun without a call of `discontinuity`, by stream time, both in seconds.
    var underruns: [Double: Double] = [:]
    /// Duration of each pause with a call of `discontinuity`, by stream time, both in seconds.
    var pauses: [Double: Double] = [:]
    /// Changes of the estimated server clock, which move the intended times, by stream time, both in seconds.
    var clockChanges: [Double: Double] = [:]
    /// Error of a report of a sound server, by stream time, both in seconds; later reports halve it every 1.5 s.
    var wrongReports: [Double: Double] = [:]
    /// Errors of the clock of a sound server from the start on, every 0.5 s, in seconds; 0 afterwards.
    var clockErrors: [Double] = []
    /// Stream time in seconds in which nothing is measured.
    var unmeasured = 0.0..<0.0
    /// Whether the corrector knows that the clock is smoothed between reports.
    var isSmoothed = false
    var seed: UInt64 = 1

    struct Result {
        /// True error of each buffer, by stream time, both in seconds.
        var errors: [(time: Double, error: Double)] = []
        /// Stream time in seconds and direction of each correction by a single frame.
        var corrections: [(time: Double, direction: Int)] = []
        var snaps: [(time: Double, frames: Int, error: Double)] = []
        /// Rate error of the device as the corrector estimates it at the end.
        var drift = 0.0
        /// Number of corrections whose direction is opposite to that of a correction less than 2 s before.
        var turns: Int {
            zip(corrections, corrections.dropFirst()).count { $0.direction != $1.direction && $1.time - $0.time < 2 }
        }

        /// The error that the fraction `share` of the buffers between two times does not exceed.
        func error(_ share: Double, from start: Double, to end: Double = .infinity) -> Double {
            let sorted = errors.filter { $0.time >= start && $0.time < end }.map(\.error.magnitude).sorted()
            guard !sorted.isEmpty else { return .nan }
            return sorted[min(Int(Double(sorted.count) * share), sorted.count - 1)]
        }

        var closest: Double {
            zip(corrections, corrections.dropFirst()).map { $1.time - $0.time }.min() ?? .infinity
        }
    }

    func play(seconds: Double) -> Result {
        var corrector = FrameCorrector(rate: rate)
        corrector.isSmoothed = isSmoothed
        var random = Random(seed: seed)
        var result = Result()
        let ppm = drift * 1e-6
        // Time at which the device plays the next frame, number of that frame, and offset of the intended times.
        var played = startError
        var passed = 0
        var offset = 0.0
        while Double(passed) / Double(rate) < seconds {
            let stream = Double(passed) / Double(rate)
            let next = Double(passed + bufferFrames) / Double(rate)
            if let gap = underruns.first(where: { stream <= $0.key && $0.key < next })?.value { played += gap }
            if let gap = pauses.first(where: { stream <= $0.key && $0.key < next })?.value {
                played += gap
                corrector.discontinuity()
            }
            if let change = clockChanges.first(where: { stream <= $0.key && $0.key < next })?.value { offset += change }
            let error = played - (stream + offset)
            let measured = measure(error, &random) + reportError(stream) + clockError(stream)
            if !unmeasured.contains(stream) { corrector.measured(Duration(seconds: measured)) }
            let plan = corrector.plan(bufferFrames)
            record(plan, error, stream, in: &result)
            passed += bufferFrames
            played += Double(plan.outputFrames) * (1 + ppm) / Double(rate)
        }
        result.drift = corrector.drift
        return result
    }

    /// The error that is measured when a buffer arrives, with jitter and spikes.
    private func measure(_ error: Double, _ random: inout Random) -> Double {
        var measured = error + jitter * random.normal()
        if spikes > 0, Double.random(in: 0..<1, using: &random) < spikes {
            measured += Double.random(in: -0.001..<0.005, using: &random)
        }
        return isPaced ? measured + abs(random.normal()) * 50e-6 : measured
    }

    /// Error of the newest report, which interpolation increases by a tenth until the next one, and which ends after 9 s.
    private func reportError(_ stream: Double) -> Double {
        wrongReports.reduce(0) { sum, report in
            let passed = stream - report.key
            guard (0..<9).contains(passed) else { return sum }
            let number = (passed / 1.5).rounded(.down)
            var error = report.value * (1 + (passed / 1.5 - number) / 10)
            for _ in 0..<Int(number) { error /= 2 }
            return sum + error
        }
    }

    private func clockError(_ stream: Double) -> Double {
        let index = Int(stream * 2)
        guard index + 1 < clockErrors.count else { return 0 }
        return clockErrors[index] + (clockErrors[index + 1] - clockErrors[index]) * (stream * 2 - Double(index))
    }

    private func record(_ plan: CorrectionPlan, _ error: Double, _ stream: Double, in result: inout Result) {
        result.errors.append((stream, error))
        switch plan.kind {
        case .none: break
        case .snap: result.snaps.append((stream, plan.change, error))
        case .single:
            for index in 0..<Int(plan.change.magnitude) {
                let frame = plan.spacing / 2 + index * plan.spacing
                result.corrections.append((stream + Double(frame) / Double(rate), plan.change.signum()))
            }
        }
    }
}

extension SimulatedDevice {
    /// Errors of the clock after a start of PulseAudio on a machine with two busy loops; the first report was right.
    static let rightStart = [
        30, -2040, -3580, -4580, -5660, -7160, -5640, -6760, -7880, -4060, -4810, -5570, -2900, -3420,
        -3960, -2070, -2460, -2860, -1510, -1790, -2070, -1100, -1300, -1490, -780, -920, -1070, -600, -710,
        -820, -450, -520, -590, -320, -380, -430, -250, -290, -330, -190, -220, -250, -180, -180, -200,
        -120, -140, -160, -120, -80, -40, 0,
    ].map { Double($0) * 1e-6 }

    /// Like `rightStart`, of a start whose first report was wrong by 0.9 ms.
    static let wrongStart = [
        910, 350, -440, -1000, -1580, -1970, -2580, -3130, -1480, -1740, -2010, -870, -1030, -1200, -640,
        -560, -680, -320, -410, -500, -260, -330, -400, -210, -260, -320, -160, -200, -240, -110, -140,
        -170, -80, -100, -120, -50, -60, -80, -20, -30, -40, 0, 0, -10, 10, 10, 0, 30,
    ].map { Double($0) * 1e-6 }
}
