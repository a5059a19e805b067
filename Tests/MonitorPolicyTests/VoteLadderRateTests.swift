import Testing

@testable import MonitorPolicy

/// Tests requests for lower quality during simulated alerts about a rate, which a request may also lower.
@Suite struct VoteLadderRateTests {
    @Test func aRateIsNotJudgedWhileNoFrameFlows() {
        var run = VoteLadderRun()
        #expect(run.play(1, [VoteLadderRun.alert(.rate, recent: 50)]) == 1)
        run.condition.isFlowing = false
        #expect(run.play(1000, VoteLadderRun.frozen([VoteLadderRun.alert(.rate, recent: 50)])) == 1)
        run.condition.isFlowing = true
        // The step has raised the rate.
        #expect(run.play(1, [VoteLadderRun.alert(.rate, recent: 60)]) == 2)
    }

    @Test func aRateThatEachStepRaisesRequestsFurtherSteps() {
        var run = VoteLadderRun()
        // The ladder judges a step after 7 s: the short window of 5 s, and 2 s until the stream follows.
        #expect(run.play(7, [VoteLadderRun.alert(.rate, recent: 50)]) == 1)
        #expect(run.play(7, [VoteLadderRun.alert(.rate, recent: 60)]) == 2)
        #expect(run.play(7, [VoteLadderRun.alert(.rate, recent: 80)]) == 3)
        // The rate meets the target, but the steps remain until the alert is cleared.
        #expect(run.play(100, [VoteLadderRun.alert(.rate, recent: 110)]) == 3)
        #expect(run.play(11, []) == 2)
    }

    @Test func aStepIsJudgedWhenTheShortWindowHasSeenIt() {
        var run = VoteLadderRun()
        func alert(_ recent: Double) -> [Alert] { [VoteLadderRun.alert(.rate, recent: recent, window: .seconds(720))] }
        #expect(run.play(1, alert(50)) == 1)
        // The rate nearly doubles at once, but its mean over 60 s rises by a sixtieth of the difference per second.
        for second in 1...60 { #expect(run.play(1, alert(50 + Double(second) * 48 / 60)) == 1) }
        #expect(run.play(1, alert(98)) == 1)
        #expect(run.play(1, alert(98)) == 2)
    }

    @Test func aRateThatAStepDoesNotRaiseIsIgnoredUntilItIsCleared() {
        var run = VoteLadderRun()
        #expect(run.play(8, [VoteLadderRun.alert(.rate, recent: 60)]) == 1)
        #expect(run.most(9, [VoteLadderRun.alert(.rate, recent: 65)]) == 1)
        #expect(run.play(1, [VoteLadderRun.alert(.rate, recent: 65)]) == 0)
        #expect(run.most(1000, [VoteLadderRun.alert(.rate, recent: 58)]) == 0)
        _ = run.tick([])
        #expect(run.play(1, [VoteLadderRun.alert(.rate, recent: 60)]) == 1)
    }

    @Test func aStalledStreamIsIgnoredToo() {
        var run = VoteLadderRun()
        #expect(run.play(18, [VoteLadderRun.alert(.rate, recent: 0)]) == 0)
        #expect(run.most(1000, [VoteLadderRun.alert(.rate, recent: 0)]) == 0)
    }

    @Test func stepsThatHelpedAreRequestedAgainWhenTheRateFallsWithoutThem() {
        var run = VoteLadderRun()
        func rate(_ recent: Double) -> [Alert] { [VoteLadderRun.alert(.rate, recent: recent)] }
        #expect(run.play(7, rate(50)) == 1)
        #expect(run.play(7, rate(70)) == 2)
        #expect(run.play(1, rate(90)) == 3)
        // The third step raises the rate too little, so it and the second step are withdrawn. Then the rate falls.
        #expect(run.play(7, rate(92)) == 3)
        #expect(run.play(9, rate(92)) == 3)
        #expect(run.play(1, rate(92)) == 2)
        #expect(run.play(10, rate(90)) == 1)
        #expect(run.play(6, rate(70)) == 1)
        #expect(run.play(1, rate(70)) == 2)
    }

    @Test func aRateThatTheRequestLoweredKeepsNoStep() {
        var run = VoteLadderRun()
        let lowered = VoteLadderRun.alert(.rate, recent: 60)
        #expect(run.play(6, VoteLadderRun.slow) == 2)
        #expect(run.play(9, VoteLadderRun.recovered + [lowered]) == 2)
        #expect(run.play(11, [lowered]) == 1)
        #expect(run.play(10, [lowered]) == 0)
        // The alert remains until the stream has its full rate again, but requests no step.
        #expect(run.most(200, [lowered]) == 0)
    }

    @Test func aRateThatStaysLowAfterTheRequestsOfAnotherElementHasATrial() {
        var run = VoteLadderRun()
        let low = VoteLadderRun.alert(.rate, recent: 60, element: "b")
        #expect(run.play(1, [VoteLadderRun.alert(recent: 200, element: "a")]) == 1)
        #expect(run.play(100, [VoteLadderRun.alert(recent: 90, element: "a"), low]) == 1)
        #expect(run.play(11, [low]) == 0)
        #expect(run.most(299, [low]) == 0)
        #expect(run.tick([low]).map(\.element) == ["b"])
    }

    @Test func aRateAlertThatIsRaisedAfterTheLastRequestWaitsUntilTheRateIsRestored() {
        var run = VoteLadderRun()
        #expect(run.play(1, VoteLadderRun.slow) == 1)
        #expect(run.play(11, []) == 0)
        // When the alert is raised, the stream still has the low rate that the step caused.
        #expect(run.play(20, []) == 0)
        let low = [VoteLadderRun.alert(.rate, recent: 60, since: .seconds(32))]
        #expect(run.most(279, low) == 0)
        #expect(run.play(1, low) == 1)
    }

    @Test func aRateThatTheRequestsBeforeAResetLoweredWaits() {
        var run = VoteLadderRun()
        let low = [VoteLadderRun.alert(.rate, recent: 60)]
        // The last step began more than 5 min ago, but the ladder repeated its request until the reset.
        #expect(run.play(400, VoteLadderRun.recovered + low) == 1)
        run.reset()
        #expect(run.most(100, low) == 0)
        // A second reset does not prolong the wait, because no step was requested since the first reset.
        run.reset()
        #expect(run.most(200, low) == 0)
        #expect(run.play(1, low) == 1)
    }

    /// The quality may be reduced because of heat, or because `thermalcaps` needs more than 5 min to restore it.
    @Test func aRateWaitsWhileTheQualityIsReduced() {
        var run = VoteLadderRun()
        let low = [VoteLadderRun.alert(.rate, recent: 60)]
        run.condition.isReduced = true
        #expect(run.most(20, low) == 0)
        #expect(run.play(1, VoteLadderRun.slow) == 1)
        #expect(run.play(11, []) == 0)
        #expect(run.most(1000, low) == 0)
        run.condition.isReduced = false
        // The alert waits for 7 s: the short window of 5 s, and 2 s until the stream follows.
        #expect(run.most(6, low) == 0)
        #expect(run.play(1, low) == 1)
    }

    @Test func aRateThatReturnsWhenTheQualityIsRestoredRequestsNothing() {
        var run = VoteLadderRun()
        run.condition.isReduced = true
        #expect(run.most(100, [VoteLadderRun.alert(.rate, recent: 60)]) == 0)
        run.condition.isReduced = false
        #expect(run.most(6, [VoteLadderRun.alert(.rate, recent: 60)]) == 0)
        // Only the long window keeps the alert active.
        #expect(run.most(100, [VoteLadderRun.alert(.rate, recent: 110)]) == 0)
    }

    @Test func aLatencyDoesNotWaitWhileTheQualityIsReduced() {
        var run = VoteLadderRun()
        run.condition.isReduced = true
        #expect(run.play(6, VoteLadderRun.slow) == 2)
    }

    @Test func latencyRequestsStepsBesideAnIgnoredRate() {
        var run = VoteLadderRun()
        #expect(run.play(36, VoteLadderRun.slow + [VoteLadderRun.alert(.rate, recent: 60)]) == 8)
    }

    @Test func aRateThatTheStepOfAnotherAlertLowersRemainsIgnored() {
        var run = VoteLadderRun()
        func rate(_ recent: Double) -> Alert { VoteLadderRun.alert(.rate, recent: recent) }
        #expect(run.play(18, [rate(60)]) == 0)
        #expect(run.play(1, VoteLadderRun.slow + [rate(60)]) == 1)
        #expect(run.play(100, VoteLadderRun.recovered + [rate(45)]) == 1)
        #expect(run.play(10, [rate(45)]) == 1)
        #expect(run.most(100, [rate(45)]) == 0)
        // A step was withdrawn, and then the rate falls below 0.9 times its lowest value of 45.
        #expect(run.most(10, [rate(41)]) == 0)
        #expect(run.play(1, [rate(40)]) == 1)
    }

    @Test func theRateOfAnotherElementHasATrialOfItsOwn() {
        var run = VoteLadderRun()
        let first = VoteLadderRun.alert(.rate, recent: 60, element: "first")
        #expect(run.play(18, [first]) == 0)
        let both = [first, VoteLadderRun.alert(.rate, recent: 60, element: "second")]
        #expect(run.most(299, both) == 0)
        #expect(run.tick(both).map(\.element) == ["second"])
        #expect(run.play(17, both) == 0)
        #expect(run.most(1000, both) == 0)
    }
}
