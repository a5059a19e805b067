import MachineState
import StreamControl
import Testing

@Suite struct BufferPoolLimitTests {
    private typealias Standstill = GrowthLimit.Standstill

    private var automatic: PoolRules {
        var rules = PoolRules()
        rules.exceedableTo = PoolRules.largestCap
        return rules
    }

    @Test func anAutomaticLimitGivesWayWhenNoBufferComesBack() {
        var controller = PoolController(automatic)
        #expect(controller.mayGrowTo == 16)
        #expect(
            controller.stoodStill(Standstill(size: 16, quiet: .milliseconds(20))) == .wait(.milliseconds(30)))
        #expect(controller.mayGrowTo == 16)
        #expect(controller.stoodStill(Standstill(size: 16, quiet: .milliseconds(50))) == .raise(to: 24))
        #expect(controller.mayGrowTo == 24)
    }

    @Test func aLimitOfTheUserNeverGivesWay() {
        var controller = PoolController(PoolRules())
        for seconds in [0, 1, 3600] {
            #expect(controller.stoodStill(Standstill(size: 16, quiet: .seconds(seconds))) == .wait(nil))
        }
        #expect(controller.mayGrowTo == 16)
    }

    /// A look-ahead of 250 frames is the longest that x264 knows.
    @Test func aLongLookAheadCostsAFewWaits() {
        var controller = PoolController(automatic)
        var waited: Duration = .zero
        while controller.mayGrowTo < 250 {
            let size = controller.mayGrowTo
            guard case .wait(let time?) = controller.stoodStill(Standstill(size: size, quiet: .zero)) else { break }
            waited += time
            #expect(controller.stoodStill(Standstill(size: size, quiet: time)) == .raise(to: size + max(8, size / 2)))
        }
        #expect(controller.mayGrowTo >= 250 && waited <= .milliseconds(350))
    }

    /// A consumer that gives back a frame every 300 ms is slow, and keeps none.
    @Test func aSlowConsumerIsWaitedFor() {
        var limit = GrowthLimit()
        let gap = Duration.milliseconds(300)
        for quiet in [0, 50, 300, 899] {
            let standstill = Standstill(size: 16, quiet: .milliseconds(quiet), longestGap: gap)
            #expect(limit.stoodStill(standstill, limit: 16, finalCap: 1000) == .wait(.milliseconds(900 - quiet)))
        }
        #expect(limit.raised == 0)
        let stuck = Standstill(size: 16, quiet: .milliseconds(900), longestGap: gap)
        #expect(limit.stoodStill(stuck, limit: 16, finalCap: 1000) == .raise(to: 24))
    }

    @Test func noConsumerIsSoSlowThatItIsWaitedForLongerThanASecond() {
        #expect(GrowthLimit.patience(longestGap: .seconds(100)) == .seconds(1))
        #expect(GrowthLimit.patience(longestGap: .zero) == .milliseconds(50))
    }

    /// Two acquires wait at once, and only one may raise the limit.
    @Test func whatAnotherAcquireHasRaisedIsTaken() {
        var controller = PoolController(automatic)
        #expect(controller.stoodStill(Standstill(size: 16, quiet: .seconds(1))) == .raise(to: 24))
        #expect(controller.stoodStill(Standstill(size: 16, quiet: .seconds(1))) == .raise(to: 24))
        #expect(controller.mayGrowTo == 24)
    }

    @Test func neverExceedsWhatTheConfigurationAllows() {
        var rules = automatic
        rules.exceedableTo = 20
        var controller = PoolController(rules)
        #expect(controller.stoodStill(Standstill(size: 16, quiet: .seconds(1))) == .raise(to: 20))
        #expect(controller.stoodStill(Standstill(size: 20, quiet: .seconds(1))) == .wait(nil))
    }

    /// The windows that follow do not take back what downstream was found to keep.
    @Test func aRaisedLimitLastsAsLongAsThePool() {
        var controller = PoolController(automatic)
        _ = controller.stoodStill(Standstill(size: 16, quiet: .seconds(1)))
        for second in 1...20 {
            let action = controller.windowEnded(
                PoolWindow(size: 24, peakInUse: 22, acquires: 15), at: .seconds(second))
            #expect(action == .keep)
        }
        #expect(controller.mayGrowTo == 24)
    }

    @Test func theUserMayEndThat() {
        var controller = PoolController(automatic)
        _ = controller.stoodStill(Standstill(size: 16, quiet: .seconds(1)))
        controller.rulesChanged(PoolRules())
        #expect(controller.mayGrowTo == 16)
        #expect(controller.stoodStill(Standstill(size: 24, quiet: .seconds(9))) == .wait(nil))
    }

    /// Else a stream through a look-ahead would stop while the machine is hot.
    @Test func theLimitOfARestGivesWayToo() {
        var controller = PoolController(automatic)
        #expect(
            controller.looked(size: 16, memory: .short, heat: .unknown, at: .seconds(1))
                == .resize(to: 3, because: .memoryPressure))
        #expect(controller.stoodStill(Standstill(size: 15, quiet: .milliseconds(50))) == .raise(to: 23))
        // It does not free at each look what is needed at each frame.
        #expect(controller.looked(size: 17, memory: .short, heat: .unknown, at: .seconds(2)) == .keep)
        #expect(controller.mayGrowTo == 23)
        _ = controller.looked(size: 17, memory: .enough, heat: .unknown, at: .seconds(20))
        #expect(controller.mayGrowTo == 16)
        // The next rest begins small.
        _ = controller.looked(size: 17, memory: .short, heat: .unknown, at: .seconds(30))
        #expect(controller.mayGrowTo == 3)
    }

    @Test func aFloorAboveTheAutomaticLimitMovesIt() {
        var rules = automatic
        rules.floor = 20
        #expect((rules.sane.floor, rules.sane.cap) == (20, 20))
        rules.exceedableTo = nil
        #expect((rules.sane.floor, rules.sane.cap) == (16, 16))
    }

    @Test func warningsAreRepeatedLessAndLessOften() {
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
