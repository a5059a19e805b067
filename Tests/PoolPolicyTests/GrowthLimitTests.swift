import Testing

@testable import PoolPolicy

@Suite struct GrowthLimitTests {
    private typealias Exhaustion = GrowthLimit.Exhaustion

    private let shortMemory = PoolPressure(isMemoryShort: true)

    private var automatic: PoolRules {
        var rules = PoolRules()
        rules.exceedableTo = PoolRules.largestCap
        return rules
    }

    @Test func raisesAnAutomaticLimitWhenNoBufferIsReleased() {
        var controller = PoolController(automatic)
        #expect(controller.limit == 16)
        #expect(
            controller.exhausted(Exhaustion(size: 16, sinceRelease: .milliseconds(20))) == .wait(.milliseconds(30)))
        #expect(controller.limit == 16)
        #expect(controller.exhausted(Exhaustion(size: 16, sinceRelease: .milliseconds(50))) == .raise(to: 24))
        #expect(controller.limit == 24)
    }

    @Test func neverRaisesALimitOfTheUser() {
        var controller = PoolController(PoolRules())
        for seconds in [0, 1, 3600] {
            #expect(controller.exhausted(Exhaustion(size: 16, sinceRelease: .seconds(seconds))) == .wait(nil))
        }
        #expect(controller.limit == 16)
    }

    /// The longest look-ahead of x264 is 250 frames.
    @Test func aLookAheadOf250FramesWaits350Milliseconds() {
        var controller = PoolController(automatic)
        var waited: Duration = .zero
        while controller.limit < 250 {
            let size = controller.limit
            guard case .wait(let time?) = controller.exhausted(Exhaustion(size: size, sinceRelease: .zero)) else {
                break
            }
            waited += time
            #expect(
                controller.exhausted(Exhaustion(size: size, sinceRelease: time)) == .raise(to: size + max(8, size / 2)))
        }
        #expect(controller.limit >= 250 && waited <= .milliseconds(350))
    }

    /// A consumer that releases a frame every 300 ms is slow, but does not hold frames permanently.
    @Test func waitsForASlowConsumer() {
        var limit = GrowthLimit()
        let gap = Duration.milliseconds(300)
        for quiet in [0, 50, 300, 899] {
            let standstill = Exhaustion(size: 16, sinceRelease: .milliseconds(quiet), longestGap: gap)
            #expect(limit.exhausted(standstill, limit: 16, finalCap: 1000) == .wait(.milliseconds(900 - quiet)))
        }
        #expect(limit.raised == 0)
        let stuck = Exhaustion(size: 16, sinceRelease: .milliseconds(900), longestGap: gap)
        #expect(limit.exhausted(stuck, limit: 16, finalCap: 1000) == .raise(to: 24))
    }

    @Test func patienceIsClampedToASecond() {
        #expect(GrowthLimit.patience(longestGap: .seconds(100)) == .seconds(1))
        #expect(GrowthLimit.patience(longestGap: .zero) == .milliseconds(50))
    }

    /// Two acquires wait at the same time, and only the first raises the limit.
    @Test func usesALimitThatAnotherAcquireHasRaised() {
        var controller = PoolController(automatic)
        #expect(controller.exhausted(Exhaustion(size: 16, sinceRelease: .seconds(1))) == .raise(to: 24))
        #expect(controller.exhausted(Exhaustion(size: 16, sinceRelease: .seconds(1))) == .raise(to: 24))
        #expect(controller.limit == 24)
    }

    @Test func neverExceedsTheMaximumOfTheConfiguration() {
        var rules = automatic
        rules.exceedableTo = 20
        var controller = PoolController(rules)
        #expect(controller.exhausted(Exhaustion(size: 16, sinceRelease: .seconds(1))) == .raise(to: 20))
        #expect(controller.exhausted(Exhaustion(size: 20, sinceRelease: .seconds(1))) == .wait(nil))
    }

    /// Tests that later windows do not lower a raised limit.
    @Test func aRaisedLimitLastsAsLongAsThePool() {
        var controller = PoolController(automatic)
        _ = controller.exhausted(Exhaustion(size: 16, sinceRelease: .seconds(1)))
        for second in 1...20 {
            let action = controller.windowEnded(
                PoolWindow(size: 24, peakInUse: 22, acquires: 15), at: .seconds(second))
            #expect(action == .keep)
        }
        #expect(controller.limit == 24)
    }

    @Test func aLimitOfTheUserEndsTheRaisedLimit() {
        var controller = PoolController(automatic)
        _ = controller.exhausted(Exhaustion(size: 16, sinceRelease: .seconds(1)))
        controller.rulesChanged(PoolRules())
        #expect(controller.limit == 16)
        #expect(controller.exhausted(Exhaustion(size: 24, sinceRelease: .seconds(9))) == .wait(nil))
    }

    /// If the limit remained low while memory is short, a stream with a look-ahead would stop.
    @Test func raisesTheLimitOfARest() {
        var controller = PoolController(automatic)
        #expect(
            controller.pressureChecked(shortMemory, size: 16, at: .seconds(1))
                == .resize(to: 3, because: .memoryPressure))
        #expect(controller.exhausted(Exhaustion(size: 15, sinceRelease: .milliseconds(50))) == .raise(to: 23))
        // The pool does not free buffers that the next frame requires.
        #expect(controller.pressureChecked(shortMemory, size: 17, at: .seconds(2)) == .keep)
        #expect(controller.limit == 23)
        _ = controller.pressureChecked(.none, size: 17, at: .seconds(20))
        #expect(controller.limit == 16)
        // When memory is short again, the limit is the floor again.
        _ = controller.pressureChecked(shortMemory, size: 17, at: .seconds(30))
        #expect(controller.limit == 3)
    }

    @Test func aFloorAboveTheAutomaticLimitRaisesIt() {
        var rules = automatic
        rules.floor = 20
        #expect((rules.sane.floor, rules.sane.cap) == (20, 20))
        rules.exceedableTo = nil
        #expect((rules.sane.floor, rules.sane.cap) == (16, 16))
    }

    @Test func pausesBetweenWarningsDouble() {
        var pace = WarningPace()
        var warnings: [Int] = []
        for second in 0..<300 where pace.isDue(at: .seconds(second)) {
            warnings.append(second)
            pace.warned(at: .seconds(second))
        }
        #expect(warnings == [0, 2, 6, 14, 30, 62, 122, 182, 242])
        #expect(pace.isDue(at: .seconds(900)))
        pace.warned(at: .seconds(900))
        #expect(!pace.isDue(at: .seconds(901)) && pace.isDue(at: .seconds(902)))
    }
}
