import Foundation
import MachineState
import Testing
import ThermalPolicy

/// Tests that quality does not rise and fall repeatedly during hours of noisy and periodic temperatures.
@Suite struct LadderNoiseTests {
    /// A sensor whose temperature depends on the time in seconds, and varies around a mean.
    struct Sensor: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// Seconds between two readings.
        var poll = 2
        let degrees: @Sendable (_ around: Double, _ second: Int, _ noise: inout SmallGenerator) -> Double
    }

    /// Maximum number of steps up in an hour: one per `longestUpDwell`, and three before the dwell reaches this length.
    private static let mostUps = (3600 / 240) + 3
    private static let trips = [
        ThermalZone.Trip("passive", celsius: 80), ThermalZone.Trip("critical", celsius: 100),
    ]
    /// The ladder for 1920x1080 at 30 frames per second.
    private static let entries = QualityLadder(
        for: VideoCaps(width: 1920, height: 1080, rate: FrameRate(30, 1)), LadderRules()
    ).rungs.map(\.entry)

    /// Mean temperatures near those at which levels begin (74, 80, 90) and end (69, 75, 85).
    private static let around = Array(stride(from: 68.0, through: 97, by: 1))

    /// Number of steps up in an hour.
    private func ups(seed: UInt64 = 1, poll: Int, _ degrees: (Int, inout SmallGenerator) -> Double) -> Int {
        var (judge, climb) = (ThermalJudge(), LadderClimb())
        var noise = SmallGenerator(seed: seed &* 977)
        var (ups, last) = (0, 0)
        for second in stride(from: 0, to: 3600, by: poll) {
            let zone = ThermalZone(celsius: degrees(second, &noise), trips: Self.trips)
            let heat = judge.judge(ThermalReading(zones: [NamedZone("cpu", zone)]), at: .seconds(second))
            let index = climb.update(heat.level, entries: Self.entries, now: .seconds(second))
            if index < last { ups += 1 }
            last = index
        }
        return ups
    }

    private func check(_ sensor: Sensor) {
        let worst = Self.around.map { around in
            (1...3 as ClosedRange<UInt64>).map { seed in
                ups(seed: seed, poll: sensor.poll) { sensor.degrees(around, $0, &$1) }
            }.max() ?? 0
        }
        let most = zip(worst, Self.around).max { $0.0 < $1.0 } ?? (0, 0)
        #expect(most.0 <= Self.mostUps, "\(most.0) steps up in an hour around \(most.1) degrees")
    }

    @Test(
        arguments: [1, 2].flatMap { poll in
            [0.5, 1, 2, 3].flatMap { width in
                [
                    Sensor(testDescription: "within \(width) degrees, every \(poll) s", poll: poll) {
                        $0 + $2.number(in: -width...width)
                    },
                    Sensor(
                        testDescription: "\(width) degrees, normally distributed, every \(poll) s", poll: poll
                    ) { around, _, noise in around + (width * noise.normal()) },
                ]
            }
        })
    func doesNotStepUpForNoise(sensor: Sensor) { check(sensor) }

    /// Tests that noise within the hysteresis causes no step after the first steps down.
    @Test(arguments: [0.5, 1, 2, 2.4])
    func ignoresNoiseWithinTheHysteresis(width: Double) {
        for around in [80.0, 90] {
            for poll in [1, 2] {
                let seen = (1...5 as ClosedRange<UInt64>).map { seed in
                    ups(seed: seed, poll: poll) { around + $1.number(in: -width...width) }
                }
                #expect(seen.allSatisfy { $0 == 0 }, "\(around): \(seen)")
            }
        }
    }

    @Test(arguments: [
        Sensor(testDescription: "whole degrees") { ($0 + $2.normal()).rounded() },
        Sensor(testDescription: "whole degrees, every second", poll: 1) { ($0 + $2.normal()).rounded() },
        Sensor(testDescription: "steps of five degrees") { (($0 + $2.normal()) / 5).rounded() * 5 },
        Sensor(testDescription: "steps of five degrees, every second", poll: 1) {
            (($0 + $2.normal()) / 5).rounded() * 5
        },
        Sensor(testDescription: "new each ten seconds") { around, second, _ in
            var noise = SmallGenerator(seed: UInt64(second / 10))
            return around + noise.normal()
        },
        Sensor(testDescription: "a fan in 20 s") { around, second, _ in around + sawtooth(second, period: 20, height: 8)
        },
        Sensor(testDescription: "a fan in a minute") { around, second, _ in
            around + sawtooth(second, period: 60, height: 8)
        },
        Sensor(testDescription: "a fan in three minutes") { around, second, _ in
            around + sawtooth(second, period: 180, height: 8)
        },
        Sensor(testDescription: "3 degrees in a minute") { around, second, _ in around + (3 * sine(second, period: 60))
        },
        Sensor(testDescription: "6 degrees in a minute") { around, second, _ in around + (6 * sine(second, period: 60))
        },
        Sensor(testDescription: "3 degrees in five minutes") { around, second, _ in
            around + (3 * sine(second, period: 300))
        },
        Sensor(testDescription: "6 degrees in ten minutes") { around, second, _ in
            around + (6 * sine(second, period: 600))
        },
    ])
    func doesNotStepUpForArtefactsOfSensors(sensor: Sensor) {
        check(sensor)
    }

    /// A machine whose temperature depends on its load.
    struct Box: CustomTestStringConvertible, Sendable {
        /// Temperature at full quality, and the time constant in seconds.
        let hottest: Double
        let inertia: Double
        var testDescription: String { "to \(hottest) degrees in \(inertia) s" }

        /// Load at each rung as a share of the full load, from a run of ThermalBenchmark with a file and x264enc.
        static let work = [1.0, 0.77, 0.56, 0.38, 0.33, 0.27, 0.24, 0.23]
        static let outside = 40.0
    }

    @Test(arguments: [
        Box(hottest: 84, inertia: 20), Box(hottest: 84, inertia: 60), Box(hottest: 84, inertia: 300),
        Box(hottest: 96, inertia: 60), Box(hottest: 110, inertia: 20),
        Box(hottest: 110, inertia: 60), Box(hottest: 110, inertia: 120),
        Box(hottest: 110, inertia: 300),
    ])
    func settlesOnAMachineThatStaysHot(box: Box) {
        var (judge, climb) = (ThermalJudge(), LadderClimb())
        var noise = SmallGenerator(seed: 7)
        var (celsius, last, ups, hottest) = (Box.outside, 0, 0, 0.0)
        for second in stride(from: 0, to: 4 * 3600, by: 2) {
            let work = Box.work[min(last, Box.work.count - 1)]
            let target = Box.outside + ((box.hottest - Box.outside) * work)
            celsius += (target - celsius) * 2 / box.inertia
            let zone = ThermalZone(celsius: celsius + (0.5 * noise.normal()), trips: Self.trips)
            let heat = judge.judge(ThermalReading(zones: [NamedZone("cpu", zone)]), at: .seconds(second))
            let index = climb.update(heat.level, entries: Self.entries, now: .seconds(second))
            if second >= 3600, index < last { ups += 1 }
            if second >= 600 { hottest = max(hottest, celsius) }
            last = index
        }
        #expect(hottest < 98, "\(hottest) degrees")
        #expect(ups / 3 <= Self.mostUps, "\(ups / 3) steps up in an hour")
    }
}

/// A wave that rises for four fifths of the period and falls for one fifth.
private func sawtooth(_ second: Int, period: Int, height: Double) -> Double {
    let share = Double(second % period) / Double(period)
    return height * ((share < 0.8 ? share / 0.8 : (1 - share) / 0.2) - 0.5)
}

private func sine(_ second: Int, period: Double) -> Double { sin(Double(second) * 2 * .pi / period) }

extension SmallGenerator {
    /// A nearly normal random number between -6 and 6, with mean 0 and standard deviation 1.
    fileprivate mutating func normal() -> Double { (0..<12).reduce(-6) { sum, _ in sum + number(in: 0...1) } }
}
