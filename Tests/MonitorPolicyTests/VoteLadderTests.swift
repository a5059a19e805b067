import Testing

@testable import MonitorPolicy

/// Requests for less quality, over drawn alerts.
@Suite struct VoteLadderTests {
    /// Ticks a ladder once a second.
    private struct Run {
        var ladder = VoteLadder()
        var second = 0

        /// Number of requests after some seconds with the same alerts.
        mutating func play(_ seconds: Int, _ alerts: [Alert]) -> Int {
            var votes: [VoteLadder.Vote] = []
            for _ in 0..<seconds {
                votes = tick(alerts)
            }
            return votes.count
        }

        mutating func tick(_ alerts: [Alert]) -> [VoteLadder.Vote] {
            defer { second += 1 }
            return ladder.tick(alerts, now: .seconds(second))
        }
    }

    /// An alert about a target of 100, such as 100 ms or 100 frames a second.
    private static func alert(
        _ metric: Metric = .p95, recent: Double, element: String = "pipeline", window: Duration = .seconds(60),
        since: Duration = .zero
    ) -> Alert {
        Alert(
            severity: .warning, element: element, metric: metric, target: 100, value: recent, recent: recent,
            window: window, samples: 1000, since: since, tiers: [])
    }

    /// The alerts while no frame flows.
    private static func frozen(_ alerts: [Alert]) -> [Alert] {
        alerts.map { alert in
            var alert = alert
            alert.isCurrent = false
            return alert
        }
    }

    private static let slow = [alert(recent: 200)]
    /// The alert stands, because the long window has not recovered.
    private static let recovered = [alert(recent: 90)]

    @Test func withoutAlertsNothingIsRequested() {
        var run = Run()
        #expect(run.play(100, []) == 0)
    }

    @Test func anAlertRequestsOneStepAtOnceAndRenewsIt() {
        var run = Run()
        let first = run.tick([Self.alert(recent: 200, element: "encoder")])
        #expect(first == [.init(element: "encoder", reason: "performance", duration: .seconds(5))])
        #expect(run.tick([Self.alert(recent: 200, element: "encoder")]) == first)
    }

    @Test func furtherStepsFollowEachFiveSecondsWhileTheShortWindowMissesTheTarget() {
        var run = Run()
        #expect(run.play(5, Self.slow) == 1)
        #expect(run.play(1, Self.slow) == 2)
        #expect(run.play(4, Self.slow) == 2)
        let votes = run.tick(Self.slow)
        #expect(votes.map(\.reason) == ["performance", "performance-2", "performance-3"])
    }

    @Test func anAlertWhoseShortWindowMeetsTheTargetRequestsNoFurtherStep() {
        var run = Run()
        #expect(run.play(1, Self.slow) == 1)
        #expect(run.play(100, Self.recovered) == 1)
        // It misses the target again: the step is due at once.
        #expect(run.play(1, Self.slow) == 2)
    }

    @Test func whileNoFrameFlowsStepsAreRenewedOnly() {
        var run = Run()
        #expect(run.play(100, Self.frozen(Self.slow)) == 0)
        #expect(run.play(1, Self.slow) == 1)
        #expect(run.play(1000, Self.frozen(Self.slow)) == 1)
        #expect(run.play(1, Self.slow) == 2)
    }

    @Test func aRateIsNotJudgedWhileNoFrameFlows() {
        var run = Run()
        #expect(run.play(1, [Self.alert(.rate, recent: 50)]) == 1)
        #expect(run.play(1000, Self.frozen([Self.alert(.rate, recent: 50)])) == 1)
        // The step has raised the rate.
        #expect(run.play(1, [Self.alert(.rate, recent: 60)]) == 2)
    }

    @Test func aRateThatEachStepRaisesRequestsFurtherSteps() {
        var run = Run()
        // A step is judged after the short window, 5 s, and 2 s for the stream to follow.
        #expect(run.play(7, [Self.alert(.rate, recent: 50)]) == 1)
        #expect(run.play(7, [Self.alert(.rate, recent: 60)]) == 2)
        #expect(run.play(7, [Self.alert(.rate, recent: 80)]) == 3)
        // It meets the target; the steps last until the alert is cleared.
        #expect(run.play(100, [Self.alert(.rate, recent: 110)]) == 3)
        #expect(run.play(11, []) == 2)
    }

    @Test func aStepIsJudgedWhenTheShortWindowHasSeenIt() {
        var run = Run()
        func alert(_ recent: Double) -> [Alert] { [Self.alert(.rate, recent: recent, window: .seconds(720))] }
        #expect(run.play(1, alert(50)) == 1)
        // Twice the rate, of which a mean over 60 s shows a sixtieth in each second.
        for second in 1...60 { #expect(run.play(1, alert(50 + Double(second) * 48 / 60)) == 1) }
        #expect(run.play(1, alert(98)) == 1)
        #expect(run.play(1, alert(98)) == 2)
    }

    @Test func aRateThatAStepDoesNotRaiseIsIgnoredUntilItIsCleared() {
        var run = Run()
        #expect(run.play(8, [Self.alert(.rate, recent: 60)]) == 1)
        #expect(run.play(9, [Self.alert(.rate, recent: 65)]) == 1)
        #expect(run.play(1, [Self.alert(.rate, recent: 65)]) == 0)
        #expect(run.play(1000, [Self.alert(.rate, recent: 58)]) == 0)
        _ = run.tick([])
        #expect(run.play(1, [Self.alert(.rate, recent: 60)]) == 1)
    }

    @Test func aStalledStreamIsIgnoredToo() {
        var run = Run()
        #expect(run.play(18, [Self.alert(.rate, recent: 0)]) == 0)
        #expect(run.play(1000, [Self.alert(.rate, recent: 0)]) == 0)
    }

    @Test func stepsThatHelpedAreRequestedAgainWhenTheRateFallsWithoutThem() {
        var run = Run()
        func rate(_ recent: Double) -> [Alert] { [Self.alert(.rate, recent: recent)] }
        #expect(run.play(7, rate(50)) == 1)
        #expect(run.play(7, rate(70)) == 2)
        #expect(run.play(1, rate(90)) == 3)
        // The third step adds too little: it is taken back, and then the second, without which the rate falls.
        #expect(run.play(7, rate(92)) == 3)
        #expect(run.play(9, rate(92)) == 3)
        #expect(run.play(1, rate(92)) == 2)
        #expect(run.play(10, rate(90)) == 1)
        #expect(run.play(6, rate(70)) == 1)
        #expect(run.play(1, rate(70)) == 2)
    }

    @Test func aRateThatTheRequestLoweredKeepsNoStep() {
        var run = Run()
        let lowered = Self.alert(.rate, recent: 60)
        #expect(run.play(6, Self.slow) == 2)
        #expect(run.play(9, Self.recovered + [lowered]) == 2)
        #expect(run.play(11, [lowered]) == 1)
        #expect(run.play(10, [lowered]) == 0)
        // It stands until the stream has climbed again, and requests nothing.
        #expect(run.play(200, [lowered]) == 0)
    }

    @Test func aRateThatStaysLowAfterTheRequestsOfAnotherElementHasATrial() {
        var run = Run()
        let low = Self.alert(.rate, recent: 60, element: "b")
        #expect(run.play(1, [Self.alert(recent: 200, element: "a")]) == 1)
        #expect(run.play(100, [Self.alert(recent: 90, element: "a"), low]) == 1)
        #expect(run.play(11, [low]) == 0)
        #expect(run.play(299, [low]) == 0)
        #expect(run.tick([low]).map(\.element) == ["b"])
    }

    @Test func aRateAlertThatIsRaisedAfterTheLastRequestWaitsUntilTheRateIsRestored() {
        var run = Run()
        #expect(run.play(1, Self.slow) == 1)
        #expect(run.play(11, []) == 0)
        // The stream still has the rate of the step when the long window falls below the limit.
        #expect(run.play(20, []) == 0)
        let low = [Self.alert(.rate, recent: 60, since: .seconds(32))]
        #expect(run.play(279, low) == 0)
        #expect(run.play(1, low) == 1)
    }

    @Test func latencyRequestsStepsBesideAnIgnoredRate() {
        var run = Run()
        #expect(run.play(36, Self.slow + [Self.alert(.rate, recent: 60)]) == 8)
    }

    @Test func aRateThatTheStepOfAnotherAlertLowersRemainsIgnored() {
        var run = Run()
        func rate(_ recent: Double) -> Alert { Self.alert(.rate, recent: recent) }
        #expect(run.play(18, [rate(60)]) == 0)
        #expect(run.play(1, Self.slow + [rate(60)]) == 1)
        #expect(run.play(100, Self.recovered + [rate(45)]) == 1)
        #expect(run.play(10, [rate(45)]) == 1)
        #expect(run.play(100, [rate(45)]) == 0)
        // A step was taken back, and the rate is less than 0.9 times the one before.
        #expect(run.play(10, [rate(41)]) == 0)
        #expect(run.play(1, [rate(40)]) == 1)
    }

    @Test func theRateOfAnotherElementHasATrialOfItsOwn() {
        var run = Run()
        let first = Self.alert(.rate, recent: 60, element: "first")
        #expect(run.play(18, [first]) == 0)
        let both = [first, Self.alert(.rate, recent: 60, element: "second")]
        #expect(run.play(299, both) == 0)
        #expect(run.tick(both).map(\.element) == ["second"])
        #expect(run.play(17, both) == 0)
        #expect(run.play(1000, both) == 0)
    }

    @Test func noMoreThanEightStepsAreRequested() {
        var run = Run()
        #expect(run.play(35, Self.slow) == 7)
        #expect(run.play(1, Self.slow) == 8)
        #expect(run.play(1000, Self.slow) == 8)
    }

    @Test func stepsAreReleasedOneByOneAfterTenSecondsOfCalm() {
        var run = Run()
        #expect(run.play(11, Self.slow) == 3)
        // The last step is long ago when the alert is cleared, and the release still waits.
        #expect(run.play(30, Self.recovered) == 3)
        #expect(run.play(10, []) == 3)
        #expect(run.play(1, []) == 2)
        #expect(run.play(9, []) == 2)
        #expect(run.tick([]) == [.init(element: "pipeline", reason: "performance", duration: .seconds(5))])
        #expect(run.play(10, []) == 0)
        #expect(run.play(100, []) == 0)
    }

    @Test func anAlertDuringTheReleaseRequestsTheReleasedStepAgain() {
        var run = Run()
        #expect(run.play(11, Self.slow) == 3)
        #expect(run.play(11, []) == 2)
        #expect(run.play(4, Self.slow) == 2)
        #expect(run.play(1, Self.slow) == 3)
        // The calm before the alert does not count.
        #expect(run.play(10, []) == 3)
    }

    @Test(arguments: [Metric.memory, .energy])
    func memoryAndEnergyRequestNothing(metric: Metric) {
        var run = Run()
        #expect(run.play(100, [Self.alert(metric, recent: 200)]) == 0)
        // Nor do they keep what was requested.
        #expect(run.play(1, Self.slow) == 1)
        #expect(run.play(11, [Self.alert(metric, recent: 200)]) == 0)
    }
}
