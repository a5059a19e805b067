import Testing

@testable import MonitorPolicy

/// Tests requests for lower quality during simulated alerts about a latency.
@Suite struct VoteLadderTests {
    @Test func withoutAlertsNothingIsRequested() {
        var run = VoteLadderRun()
        #expect(run.play(100, []) == 0)
    }

    @Test func anAlertRequestsOneStepAtOnceAndRenewsIt() {
        var run = VoteLadderRun()
        let first = run.tick([VoteLadderRun.alert(recent: 200, element: "encoder")])
        #expect(first == [.init(element: "encoder", reason: "m:performance")])
        #expect(run.tick([VoteLadderRun.alert(recent: 200, element: "encoder")]) == first)
        #expect(VoteLadder.duration == .seconds(15))
    }

    /// An element counts requests with the same reason once.
    @Test func monitorsWithDifferentNamesHaveNoReasonInCommon() {
        var (one, other) = (VoteLadderRun("m"), VoteLadderRun("m-2"))
        #expect(one.play(36, VoteLadderRun.slow) == 8)
        #expect(other.play(36, VoteLadderRun.slow) == 8)
        let votes = one.tick(VoteLadderRun.slow) + other.tick(VoteLadderRun.slow)
        #expect(Set(votes.map(\.reason)).count == 16)
        one.reset()
        #expect(one.tick(VoteLadderRun.slow).map(\.reason) == ["m:performance"])
    }

    @Test func furtherStepsFollowEachFiveSecondsWhileTheShortWindowMissesTheTarget() {
        var run = VoteLadderRun()
        #expect(run.play(5, VoteLadderRun.slow) == 1)
        #expect(run.play(1, VoteLadderRun.slow) == 2)
        #expect(run.play(4, VoteLadderRun.slow) == 2)
        let votes = run.tick(VoteLadderRun.slow)
        #expect(votes.map(\.reason) == ["m:performance", "m:performance-2", "m:performance-3"])
    }

    @Test func anAlertWhoseShortWindowMeetsTheTargetRequestsNoFurtherStep() {
        var run = VoteLadderRun()
        #expect(run.play(1, VoteLadderRun.slow) == 1)
        #expect(run.play(100, VoteLadderRun.recovered) == 1)
        // The short window misses the target again, so the next step is requested at once.
        #expect(run.play(1, VoteLadderRun.slow) == 2)
    }

    @Test func whileNoFrameFlowsStepsAreRenewedOnly() {
        var run = VoteLadderRun()
        run.condition.isFlowing = false
        #expect(run.play(100, VoteLadderRun.frozen(VoteLadderRun.slow)) == 0)
        run.condition.isFlowing = true
        #expect(run.play(1, VoteLadderRun.slow) == 1)
        run.condition.isFlowing = false
        #expect(run.play(1000, VoteLadderRun.frozen(VoteLadderRun.slow)) == 1)
        run.condition.isFlowing = true
        #expect(run.play(1, VoteLadderRun.slow) == 2)
    }

    /// An alert has no frames while others pass if, for example, one of two cameras has sent EOS.
    @Test func anAlertWithoutFramesWhileOthersPassKeepsStepsForTenSeconds() {
        var run = VoteLadderRun()
        #expect(run.play(6, VoteLadderRun.slow) == 2)
        let ended = VoteLadderRun.frozen(VoteLadderRun.slow)
        // The ladder ignores the alert from the 11th second on, and withdraws the steps 10 s and 20 s later.
        #expect(run.play(20, ended) == 2)
        #expect(run.play(1, ended) == 1)
        #expect(run.play(9, ended) == 1)
        #expect(run.play(1, ended) == 0)
        #expect(run.most(1000, ended) == 0)
        // The frames of the alert flow again.
        #expect(run.play(1, VoteLadderRun.slow) == 1)
    }

    /// The alert of `a`, which no longer passes frames, precedes the alert of `b`, whose frames flow.
    @Test func requestsAreSentFromAnElementWhoseFramesFlow() {
        var run = VoteLadderRun()
        let ended = VoteLadderRun.frozen([VoteLadderRun.alert(recent: 200, element: "a")])
        let slow = [VoteLadderRun.alert(recent: 200, element: "b")]
        #expect(run.tick(ended + slow).map(\.element) == ["b"])
        #expect(run.play(4, ended + slow) == 1)
        #expect(run.tick(ended + slow).map(\.element) == ["b", "b"])
        // In a pause, `b` still sends the requests.
        #expect(run.tick(ended + VoteLadderRun.frozen(slow)).map(\.element) == ["b", "b"])
        #expect(run.tick(slow + ended).map(\.element) == ["b", "b"])
        // The alert of `b` is cleared.
        #expect(run.tick(ended).map(\.element) == ["a", "a"])
    }

    /// The worst alert is the first in the list of alerts.
    @Test func requestsStayWithTheirElementWhenAnotherAlertBecomesWorse() {
        var run = VoteLadderRun()
        let (a, b) = (
            VoteLadderRun.alert(recent: 200, element: "a"), VoteLadderRun.alert(recent: 200, element: "b")
        )
        #expect(run.tick([a, b]).map(\.element) == ["a"])
        #expect(run.tick([b, a]).map(\.element) == ["a"])
        // The frames of `a` have a gap.
        for _ in 0..<3 { #expect(Set(run.tick([b] + VoteLadderRun.frozen([a])).map(\.element)) == ["a"]) }
        #expect(Set(run.tick([b]).map(\.element)) == ["b"])
        #expect(Set(run.tick([a, b]).map(\.element)) == ["b"])
    }

    @Test func afterTheReleaseOfAllStepsTheWorstAlertChoosesTheElement() {
        var run = VoteLadderRun()
        let a = VoteLadderRun.alert(recent: 200, element: "a")
        #expect(run.tick([a]).map(\.element) == ["a"])
        #expect(run.play(11, []) == 0)
        #expect(run.tick([VoteLadderRun.alert(recent: 200, element: "b"), a]).map(\.element) == ["b"])
    }

    @Test func noMoreThanEightStepsAreRequested() {
        var run = VoteLadderRun()
        #expect(run.play(35, VoteLadderRun.slow) == 7)
        #expect(run.play(1, VoteLadderRun.slow) == 8)
        #expect(run.play(1000, VoteLadderRun.slow) == 8)
    }

    @Test func stepsAreReleasedOneByOneAfterTenSecondsOfCalm() {
        var run = VoteLadderRun()
        #expect(run.play(11, VoteLadderRun.slow) == 3)
        // The last step was long before the alert is cleared, but a step is withdrawn only 10 s after the alert.
        #expect(run.play(30, VoteLadderRun.recovered) == 3)
        #expect(run.play(10, []) == 3)
        #expect(run.play(1, []) == 2)
        #expect(run.play(9, []) == 2)
        #expect(run.tick([]) == [.init(element: "pipeline", reason: "m:performance")])
        #expect(run.play(10, []) == 0)
        #expect(run.play(100, []) == 0)
    }

    @Test func anAlertDuringTheReleaseRequestsTheReleasedStepAgain() {
        var run = VoteLadderRun()
        #expect(run.play(11, VoteLadderRun.slow) == 3)
        #expect(run.play(11, []) == 2)
        #expect(run.play(4, VoteLadderRun.slow) == 2)
        #expect(run.play(1, VoteLadderRun.slow) == 3)
        // The time without an alert before this alert does not count.
        #expect(run.play(10, []) == 3)
    }

    @Test func afterAResetAnAlertBeginsWithTheFirstStep() {
        var run = VoteLadderRun()
        #expect(run.play(11, VoteLadderRun.slow) == 3)
        run.reset()
        #expect(run.most(5, VoteLadderRun.slow) == 1)
        #expect(run.play(1, VoteLadderRun.slow) == 2)
    }

    @Test(arguments: [Metric.memory, .energy])
    func memoryAndEnergyRequestNothing(metric: Metric) {
        var run = VoteLadderRun()
        #expect(run.play(100, [VoteLadderRun.alert(metric, recent: 200)]) == 0)
        // Alerts about memory and energy do not prolong requests of other alerts.
        #expect(run.play(1, VoteLadderRun.slow) == 1)
        #expect(run.play(11, [VoteLadderRun.alert(metric, recent: 200)]) == 0)
    }
}
