import PoolPolicy
import Testing

@Suite struct StallBreakerTests {
    /// Plays a window of 500 ms with 20 acquires for each letter; `x` stalls 7 acquires, `+` stalls 3, `o` stalls 2.
    ///
    /// Returns a letter for the state after each window: `-` is closed, `O` is open and `?` is half-open.
    private func draw(_ windows: String) -> String {
        var breaker = StallBreaker()
        var states = ""
        for (index, window) in windows.enumerated() {
            let state = breaker.windowEnded(
                acquires: 20, stalls: ["x": 7, "o": 2, "+": 3][window] ?? 0, length: .milliseconds(500),
                at: .milliseconds(500 * (index + 1)))
            states += state == .closed ? "-" : state == .open ? "O" : "?"
        }
        return states
    }

    private func times(_ count: Int, _ text: String) -> String { String(repeating: text, count: count) }

    @Test func opensAfterFiveSecondsOfStalls() {
        #expect(draw(times(12, "x")) == times(9, "-") + "OOO")
    }

    @Test func aTenthOfTheAcquiresMayStall() {
        #expect(draw(times(20, "o")) == times(20, "-"))
        #expect(draw(times(12, "+")) == times(9, "-") + "OOO")
    }

    @Test func aWindowWithoutStallsRestartsTheCount() {
        #expect(draw(times(9, "x") + "." + times(9, "x")) == times(19, "-"))
    }

    @Test func triesAgainAfterThirtySecondsAndClosesWithoutStalls() {
        #expect(draw(times(10, "x") + times(81, ".")) == times(9, "-") + times(60, "O") + times(20, "?") + "--")
    }

    @Test func aFailedTrialDoublesThePause() {
        let states = draw(times(10, "x") + times(60, "x") + times(10, "x") + times(140, "."))
        #expect(states.prefix(80) == times(9, "-") + times(60, "O") + times(10, "?") + "O")
        #expect(states.dropFirst(79).prefix { $0 == "O" }.count == 120)
    }

    @Test func pausesLastAtMostFourMinutes() {
        let pauses = draw(times(1435, "x")).drop { $0 == "-" }.split(separator: "?")
        #expect(pauses.map(\.count) == [60, 120, 240, 480, 480])
    }

    @Test func aWindowWithoutAcquiresDoesNotEndAStall() {
        var breaker = StallBreaker()
        for second in 1...4 {
            _ = breaker.windowEnded(acquires: 10, stalls: 9, length: .seconds(1), at: .seconds(second))
        }
        #expect(breaker.windowEnded(acquires: 0, stalls: 0, length: .seconds(1), at: .seconds(5)) == .open)
    }

    @Test func anOpenBreakerGrowsThePoolToItsLimit() {
        var controller = PoolController(PoolRules())
        var actions: [PoolAction] = []
        for second in 1...6 {
            let window = PoolWindow(size: 12, peakInUse: 9, acquires: 30, stalls: 10)
            actions.append(controller.windowEnded(window, at: .seconds(second)))
        }
        #expect(actions.dropLast(2).allSatisfy { $0 == .keep })
        #expect(actions[4] == .resize(to: 16, because: .breaker))
        #expect(controller.breaker == .open)
    }

    /// The memory of the machine may not suffice for the largest cap, which is 65,536 buffers.
    @Test func anOpenBreakerWithoutACapDoublesTheNumberInUse() {
        var rules = PoolRules()
        rules.cap = PoolRules.largestCap
        var controller = PoolController(rules)
        var actions: [PoolAction] = []
        for (index, size) in [3, 3, 3, 3, 3, 16, 30].enumerated() {
            let window = PoolWindow(size: size, peakInUse: min(size, 20), acquires: 30, stalls: 10)
            actions.append(controller.windowEnded(window, at: .seconds(index + 1)))
        }
        #expect(
            actions.suffix(3) == [
                .resize(to: 16, because: .breaker), .resize(to: 32, because: .breaker),
                .resize(to: 40, because: .breaker),
            ])
    }
}
