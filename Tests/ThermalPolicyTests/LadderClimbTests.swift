import MachineState
import Testing
import ThermalPolicy

@Suite struct LadderClimbTests {
    private let entries: [ThermalLevel] = [.nominal, .serious, .critical, .critical, .critical]

    /// The rung in each second for a curve of levels, one for each second.
    private func climb(_ curve: [ThermalLevel], _ change: (inout LadderClimb) -> Void = { _ in }) -> [Int] {
        var climb = LadderClimb()
        change(&climb)
        return curve.enumerated().map { climb.update($1, entries: entries, now: .seconds($0)) }
    }

    private func repeated(_ level: ThermalLevel, _ count: Int) -> [ThermalLevel] {
        Array(repeating: level, count: count)
    }

    @Test func stepsDownWithinOneDwell() {
        #expect(climb(repeated(.critical, 8)) == [1, 1, 2, 2, 3, 3, 4, 4])
        #expect(climb(repeated(.serious, 8)) == [1, 1, 1, 1, 1, 1, 1, 1])
        #expect(climb(repeated(.fair, 3)) == [0, 0, 0])
    }

    @Test func returnsTheTimeOfTheNextStep() {
        var climb = LadderClimb()
        func follow(_ level: ThermalLevel, from start: Duration) -> [Duration] {
            var (times, now) = ([start], start)
            _ = climb.update(level, entries: entries, now: now)
            while let due = climb.due, times.count < 20 {
                now = due
                times.append(now)
                _ = climb.update(level, entries: entries, now: now)
            }
            return times
        }
        #expect(follow(.critical, from: .zero) == [0, 2, 4, 6].map { .seconds($0) })
        #expect(climb.index == 4)
        #expect(follow(.nominal, from: .seconds(100)) == [100, 140, 180, 220, 260].map { .seconds($0) })
        #expect(climb.index == 0)
        #expect(follow(.unknown, from: .seconds(300)).count == 1)
    }

    @Test func stepsUpAfterItsDwell() {
        let indexes = climb(repeated(.critical, 5) + repeated(.nominal, 200))
        #expect(indexes[4] == 3)
        let falls = zip(indexes, indexes.dropFirst()).enumerated().filter { $0.element.0 > $0.element.1 }
        // The first step up follows after 40 calm seconds, and the next steps up at intervals of 40 seconds.
        #expect(falls.map { $0.offset + 1 } == [45, 85, 125])
    }

    @Test func holdsTheRungWhileTheLevelIsUnknown() {
        #expect(climb(repeated(.critical, 3) + repeated(.unknown, 500)).last == 2)
        #expect(climb(repeated(.unknown, 500)).last == 0)
        // Seconds in which the level alternates with `unknown` are not calm.
        let flicker = (0..<500).map { $0 % 20 == 0 ? ThermalLevel.unknown : .nominal }
        #expect(climb([.serious] + flicker).last == 1)
    }

    @Test func doublesTheDwellAfterAFailedStepUp() {
        var climb = LadderClimb()
        var ups: [Int] = []
        var (last, cameUpAt) = (0, -1000)
        // The machine becomes too hot ten seconds after each step up to full quality.
        for second in 0..<3600 {
            let isHot = last == 0 && second - cameUpAt >= 10
            let index = climb.update(isHot ? .serious : .nominal, entries: [.nominal, .serious], now: .seconds(second))
            if index < last {
                ups.append(second)
                cameUpAt = second
            }
            last = index
        }
        let waits = zip(ups, ups.dropFirst()).map { $1 - $0 - 10 }
        // The calm seconds begin one second after the step down.
        #expect(waits.prefix(3) == [81, 161, 241])
        #expect(waits.dropFirst(3).allSatisfy { $0 == 241 })
        #expect(ups.count < 18)
    }

    @Test func resetsTheDwellAfterALastingStepUp() {
        var climb = LadderClimb()
        for second in 0..<200 {
            _ = climb.update(second == 0 || second == 45 ? .serious : .nominal, entries: entries, now: .seconds(second))
        }
        #expect(climb.upDwell == .seconds(80))
        for second in 200..<1000 {
            _ = climb.update(second == 900 ? .serious : .nominal, entries: entries, now: .seconds(second))
        }
        #expect(climb.upDwell == .seconds(40))
    }

    @Test func takesOneStepInAnHourOfNoiseAtAThreshold() {
        for seed in 1...5 as ClosedRange<UInt64> {
            var (judge, climb) = (ThermalJudge(), LadderClimb())
            var generator = SmallGenerator(seed: seed)
            let trips = [ThermalZone.Trip("passive", celsius: 80), ThermalZone.Trip("critical", celsius: 100)]
            var (changes, last) = (0, 0)
            for second in stride(from: 0, to: 3600, by: 2) {
                let zone = ThermalZone(celsius: 80 + generator.number(in: -2...2), trips: trips)
                let heat = judge.judge(ThermalReading(zones: [NamedZone("cpu", zone)]), at: .seconds(second))
                let index = climb.update(heat.level, entries: entries, now: .seconds(second))
                if index != last { changes += 1 }
                last = index
            }
            #expect(changes == 1)
        }
    }

    @Test func stepsDownForRequestsAndHolds() {
        var climb = LadderClimb()
        func at(_ second: Int, _ level: ThermalLevel = .nominal) -> Int {
            climb.update(level, entries: entries, now: .seconds(second))
        }
        #expect(at(0) == 0)
        climb.degrade("latency")
        #expect(at(1) == 1)
        #expect(at(500) == 1)
        climb.degrade("latency")
        climb.degrade("network")
        #expect(at(501) == 2)
        #expect(climb.reasons == ["latency", "network"])
        climb.restore("latency")
        #expect(at(1000) == 2)
        climb.restore("network")
        #expect(at(1001) == 2)
        #expect(at(1041) == 1)
        #expect(at(1081) == 0)
        climb.restore("nobody")
        #expect(at(1082) == 0)
    }

    @Test func endsARequestAtItsTime() {
        var climb = LadderClimb()
        func at(_ second: Int) -> Int { climb.update(.nominal, entries: entries, now: .seconds(second)) }
        climb.degrade("network", until: .seconds(30))
        #expect(at(1) == 1 && at(29) == 1)
        #expect(climb.reasons == ["network"] && climb.due == .seconds(30))
        #expect(at(30) == 1 && climb.reasons.isEmpty)
        // The step up follows after the usual dwell.
        #expect(at(69) == 1 && at(70) == 0)
    }

    /// Tests a machine on which no sensor has ever provided a level.
    @Test func restoresARequestedStepWhileTheLevelIsUnknown() {
        var climb = LadderClimb()
        climb.degrade("network", until: .seconds(10))
        let seen = [0, 9, 10, 49, 50].map { climb.update(.unknown, entries: entries, now: .seconds($0)) }
        #expect(seen == [1, 1, 1, 1, 0])
        // A step that heat also caused remains when the request ends.
        var hot = LadderClimb()
        _ = hot.update(.serious, entries: entries, now: .zero)
        hot.degrade("network")
        hot.degrade("network")
        let down = [10, 20].map { hot.update(.unknown, entries: entries, now: .seconds($0)) }
        hot.restore("network")
        let up = [30, 80, 130, 500].map { hot.update(.unknown, entries: entries, now: .seconds($0)) }
        #expect(down == [2, 3] && up == [3, 2, 1, 1])
    }

    /// Tests that a rung that was only requested does not count as a rung of heat.
    @Test func keepsTheRungsOfHeatAndRequestsOnANewLadder() {
        func climb(_ second: Int, _ level: ThermalLevel, _ climb: inout LadderClimb) -> Int {
            climb.update(level, entries: entries, now: .seconds(second))
        }
        var hot = LadderClimb()
        _ = climb(0, .serious, &hot)
        for _ in 0..<3 { hot.degrade("network") }
        let down = [10, 20, 30].map { climb($0, .serious, &hot) }
        hot.mapRungs { $0 }
        hot.restore("network")
        let up = [40, 90, 140, 190, 500].map { climb($0, .unknown, &hot) }
        #expect(down == [2, 3, 4] && up == [4, 3, 2, 1, 1])
        // The new ladder has two rungs for each old rung, so the rungs of the request and of heat are doubled.
        var finer = LadderClimb()
        _ = climb(0, .serious, &finer)
        finer.degrade("network")
        _ = climb(10, .serious, &finer)
        finer.mapRungs { $0 * 2 }
        #expect(finer.index == 4 && climb(20, .unknown, &finer) == 4 && climb(200, .unknown, &finer) == 4)
        finer.restore("network")
        #expect([210, 260, 310, 360, 500].map { climb($0, .unknown, &finer) } == [4, 3, 2, 2, 2])
        // All rungs of the new ladder reduce the quality more than the present rung.
        var coarser = LadderClimb()
        coarser.degrade("network")
        _ = climb(0, .nominal, &coarser)
        coarser.mapRungs { _ in 0 }
        #expect(coarser.index == 0 && climb(10, .nominal, &coarser) == 1 && climb(100, .nominal, &coarser) == 1)
    }

    @Test func takesNoFurtherStepForARepeatedRequestWithDuration() {
        var climb = LadderClimb()
        func at(_ second: Int) -> Int { climb.update(.nominal, entries: entries, now: .seconds(second)) }
        for second in 0..<600 {
            climb.degrade("network", until: .seconds(second + 5))
            #expect(at(second) == 1)
        }
        // A request with another reason adds a step.
        climb.degrade("network-worse", until: .seconds(605))
        #expect(at(600) == 2 && at(604) == 2)
        #expect(at(700) == 2 && climb.reasons.isEmpty && at(740) == 1)
    }

    @Test func usesTheLastDurationOfARequest() {
        var climb = LadderClimb()
        func at(_ second: Int) -> Int { climb.update(.nominal, entries: entries, now: .seconds(second)) }
        climb.degrade("latency", until: .seconds(10))
        #expect(at(0) == 1)
        // A request without an end lasts until it is withdrawn, and adds a step.
        climb.degrade("latency")
        #expect(at(9) == 2 && at(1000) == 2)
        climb.degrade("latency", until: .seconds(1010))
        #expect(at(1001) == 2 && at(1009) == 2)
        #expect(at(1010) == 2 && climb.reasons.isEmpty)
        climb.degrade("latency", until: .zero)
        climb.restore("latency")
        #expect(at(1051) == 1)
    }

    @Test func boundsTheNumberOfRequests() {
        var climb = LadderClimb()
        for number in 0..<100_000 { climb.degrade("reason \(number)") }
        #expect(climb.reasons.count == 64)
        for _ in 0..<100_000 { climb.degrade("reason 1") }
        for second in 0..<100 { _ = climb.update(.nominal, entries: entries, now: .seconds(second)) }
        #expect(climb.index == 4)
    }

    @Test func takesTheLastRungAtShutdownWithNeverStop() {
        #expect(climb([.nominal, .shutdown]) { $0.survivesShutdown = true } == [0, 4])
        #expect(climb([.nominal, .shutdown]) == [0, 1])
    }

    @Test func doesNotCountAShorterLadderAsAStep() {
        var climb = LadderClimb()
        for second in 0..<20 { _ = climb.update(.critical, entries: entries, now: .seconds(second)) }
        let short = climb.update(.critical, entries: [.nominal, .serious], now: .seconds(21))
        let none = climb.update(.critical, entries: [], now: .seconds(22))
        #expect(short == 1 && none == 0)
    }
}
