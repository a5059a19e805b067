import MachineState
import Testing
import ThermalPolicy

@Suite struct ThermalJudgeTests {
    private static let trips = [
        ThermalZone.Trip("passive", celsius: 80), ThermalZone.Trip("critical", celsius: 100),
    ]

    private func reading(_ celsius: Double?) -> ThermalReading {
        ThermalReading(zones: celsius.map { [NamedZone("cpu", ThermalZone(celsius: $0, trips: Self.trips))] } ?? [])
    }

    /// The levels for a curve of temperatures with one reading a second.
    private func levels(_ curve: [Double?], horizon: Duration = .zero) -> [ThermalLevel] {
        var judge = ThermalJudge()
        judge.horizon = horizon
        return curve.enumerated().map { judge.judge(reading($1), at: .seconds($0)).level }
    }

    @Test func endsALevelFiveDegreesBelowItsBeginning() {
        #expect(
            levels([79, 80, 79, 75.1, 75, 74.9, 80]) == [
                .fair, .serious, .serious, .serious, .serious, .fair, .serious,
            ])
    }

    @Test func countsAReadingOnce() {
        var judge = ThermalJudge()
        func level(_ celsius: Double, takenAt: UInt64, _ second: Int) -> ThermalLevel {
            var taken = reading(celsius)
            taken.takenAt = .nanoseconds(takenAt)
            return judge.judge(taken.chosen(by: GlobPatterns(nil)), at: .seconds(second)).level
        }
        #expect((0..<5).map { level(105, takenAt: 1, $0) } == Array(repeating: .critical, count: 5))
        #expect(level(70, takenAt: 2, 5) == .fair)
        #expect(level(105, takenAt: 3, 6) == .critical)
        #expect([7, 8].map { level(105, takenAt: 4, $0) } == [.shutdown, .shutdown])
    }

    @Test func prefersTheHysteresisOfATripPoint() {
        var judge = ThermalJudge()
        judge.horizon = .zero
        let trip = ThermalZone.Trip(kind: "passive", temperature: "80000", hysteresis: "2000\n")!
        let seen = [80, 78.5, 77.5].enumerated().map {
            judge.judge(
                ThermalReading(zones: [NamedZone("cpu", ThermalZone(celsius: $1, trips: [trip]))]), at: .seconds($0)
            ).level
        }
        #expect(seen == [.serious, .serious, .fair])
    }

    @Test func raisesTheLevelByForecastBeforeTheTripPoint() {
        // The temperature rises by half a degree per second, so 75 degrees become 80 in ten seconds.
        let curve = (0..<40).map { 60 + (0.5 * Double($0)) }
        let first = levels(curve, horizon: .seconds(10)).firstIndex(of: .serious)
        #expect(first.map { curve[$0] } == 75)
        #expect(levels(curve).firstIndex(of: .serious).map { curve[$0] } == nil)
    }

    @Test func reportsTheCauseOfALevel() {
        func causes(_ curve: [Double?], horizon: Duration) -> [HeatReport.Cause?] {
            var judge = ThermalJudge()
            judge.horizon = horizon
            return curve.enumerated().map { judge.judge(reading($1), at: .seconds($0)).cause }
        }
        #expect(
            causes([79, 80, 76, 74, nil], horizon: .zero) == [
                .temperature, .temperature, .hysteresis, .temperature, nil,
            ])
        // At two degrees per second, the temperature reaches the trip point within the forecast of ten seconds.
        #expect(
            causes([60, 62, 64, 66, 80], horizon: .seconds(10)) == [
                .temperature, .temperature, .forecast, .forecast, .temperature,
            ])
        // While a temperature below the trip point rises, the cause of the level is the forecast, not the hysteresis.
        #expect(causes([70, 74, 78], horizon: .seconds(10)).last == .forecast)
        var judge = ThermalJudge()
        let throttled = ThermalReading(zones: reading(60).zones, throttle: ThrottleBits("8"))
        #expect(judge.judge(throttled, at: .zero).cause == .firmware)
    }

    @Test func limitsTheForecastToTheFirstStep() {
        #expect(levels([50, 60, 70, 79], horizon: .seconds(60)).max() == .serious)
    }

    @Test func doesNotTakeNoiseForASlope() {
        var generator = SmallGenerator(seed: 1)
        let curve = (0..<3600).map { _ in 68 + generator.number(in: -2...2) }
        #expect(levels(curve, horizon: .seconds(10)).filter { $0 >= .serious }.count < 36)
    }

    @Test func requiresTwoReadingsForShutdown() {
        #expect(levels([60, 120, 60, 60]).contains(.shutdown) == false)
        #expect(levels([60, 99, 99]) == [.nominal, .critical, .shutdown])
    }

    @Test func isUnknownWhenAHotZoneDisappears() {
        #expect(levels([85, nil, nil, 85]) == [.serious, .unknown, .unknown, .serious])
        var judge = ThermalJudge()
        let both = ThermalReading(zones: [
            NamedZone("hot", ThermalZone(celsius: 85, trips: Self.trips)),
            NamedZone("cool", ThermalZone(celsius: 40, trips: Self.trips)),
        ])
        let cool = ThermalReading(zones: [both.zones[1]])
        // A zone without readings no longer counts after a minute.
        let seen = [(0, both), (1, cool), (59, cool), (62, cool)].map { judge.judge($1, at: .seconds($0)).level }
        #expect(seen == [.serious, .unknown, .unknown, .nominal])
    }

    @Test func keepsZonesWithOneNameApart() {
        var judge = ThermalJudge()
        judge.horizon = .seconds(10)
        let zones = [40.0, 85].enumerated().map {
            NamedZone("cpu", id: "zone\($0)", ThermalZone(celsius: $1, trips: Self.trips))
        }
        for second in 0..<5 {
            let report = judge.judge(ThermalReading(zones: zones), at: .seconds(second))
            #expect(report.level == .serious && report.celsius == 85)
        }
    }

    private func reading(_ zones: [(name: String, id: String, celsius: Double)], passive: Double = 80) -> ThermalReading
    {
        let trips = [ThermalZone.Trip("passive", celsius: passive), ThermalZone.Trip("critical", celsius: 100)]
        return ThermalReading(
            zones: zones.map { NamedZone($0.name, id: $0.id, ThermalZone(celsius: $0.celsius, trips: trips)) })
    }

    @Test func recognizesAZoneWithAnotherNumber() {
        var judge = ThermalJudge()
        judge.horizon = .zero
        let curve = [
            [("nvme", "zone1", 85.0), ("cpu", "zone0", 40)], [("cpu", "zone0", 40)],
            [("nvme", "zone5", 76), ("cpu", "zone0", 40)], [("nvme", "zone5", 65), ("cpu", "zone0", 40)],
        ]
        let seen = curve.enumerated().map { judge.judge(reading($1), at: .seconds($0)).level }
        #expect(seen == [.serious, .unknown, .serious, .nominal])
    }

    @Test func treatsAReusedNumberAsAnotherZone() {
        var judge = ThermalJudge()
        judge.horizon = .zero
        let curve = [
            [("cpu", "zone0", 85.0), ("gpu", "zone1", 40)], [("gpu", "zone0", 78), ("cpu", "zone1", 60)],
        ]
        let seen = curve.enumerated().map { judge.judge(reading($1), at: .seconds($0)).level }
        #expect(seen == [.serious, .fair])
    }

    @Test func recognizesAZoneWhoseNameIsUnreadable() {
        var judge = ThermalJudge()
        judge.horizon = .zero
        let seen = [("cpu", 85.0), ("zone0", 76), ("cpu", 76), ("cpu", 60)].enumerated().map {
            judge.judge(reading([($1.0, "zone0", $1.1)]), at: .seconds($0)).level
        }
        #expect(seen == [.serious, .serious, .serious, .nominal])
    }

    @Test func ignoresAZoneThatIsNoLongerSelected() {
        var judge = ThermalJudge()
        judge.horizon = .zero
        let all = reading([("gpu", "zone0", 85), ("cpu", "zone1", 40)])
        let seen = ["*", "cpu"].enumerated().map {
            judge.judge(all.chosen(by: GlobPatterns($1)), beside: all.zones, at: .seconds($0)).level
        }
        #expect(seen == [.serious, .nominal])
    }

    @Test func usesAMovedTripPointAtOnce() {
        var judge = ThermalJudge()
        judge.horizon = .zero
        let seen = [95.0, 95, 70, 70, 90].enumerated().map {
            judge.judge(reading([("cpu", "zone0", 75)], passive: $1), at: .seconds($0)).level
        }
        #expect(seen == [.nominal, .nominal, .serious, .serious, .nominal])
    }

    @Test func reportsTheZoneAndItsHeadroom() {
        var judge = ThermalJudge()
        var report = HeatReport()
        for second in 0..<4 { report = judge.judge(reading(65 + Double(second)), at: .seconds(second)) }
        #expect(report.zone == "cpu" && report.celsius == 68)
        #expect(abs((report.headroom ?? 0) - 0.6) < 1e-9)
        #expect(abs((report.forecast ?? 0) - (0.6 + 10.0 / 30)) < 1e-6)
        let none = judge.judge(ThermalReading(), at: .seconds(100))
        #expect(none.celsius == nil && none.level == .unknown)
    }
}

/// A pseudo-random generator, which generates the same numbers in every run.
struct SmallGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func number(in range: ClosedRange<Double>) -> Double {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return range.lowerBound + ((range.upperBound - range.lowerBound) * Double(state >> 11) / Double(1 << 53))
    }
}
