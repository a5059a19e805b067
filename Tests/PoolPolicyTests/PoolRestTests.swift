import Testing

@testable import PoolPolicy

@Suite struct PoolRestTests {
    private let short = PoolPressure(isMemoryShort: true)
    private let hot = PoolPressure(isHot: true)

    private func window(_ size: Int, peak: Int, _ pressure: PoolPressure = .none) -> PoolWindow {
        PoolWindow(size: size, peakInUse: peak, acquires: 15, pressure: pressure)
    }

    @Test func shortMemoryShrinksToTheFloorAtOnce() {
        var controller = PoolController(PoolRules())
        #expect(
            controller.windowEnded(window(16, peak: 16, short), at: .seconds(1))
                == .resize(to: 3, because: .memoryPressure))
        #expect(controller.limit == 3)
    }

    @Test func heatShrinksToFourAndForbidsGrowthForThirtySeconds() {
        var controller = PoolController(PoolRules())
        #expect(
            controller.windowEnded(window(12, peak: 12, hot), at: .seconds(1))
                == .resize(to: 4, because: .thermal))
        for second in 2...30 {
            #expect(controller.windowEnded(window(4, peak: 4), at: .seconds(second)) == .keep)
            #expect(controller.limit == 4)
        }
        #expect(
            controller.windowEnded(window(4, peak: 4), at: .seconds(31))
                == .resize(to: 8, because: .forecast))
        #expect(controller.limit == 16)
    }

    /// A window may last an hour, so the controller also checks the pressure during a window.
    @Test func respondsBetweenTheEndsOfWindows() {
        var controller = PoolController(PoolRules())
        #expect(controller.pressureChecked(.none, size: 12, at: .seconds(1)) == .keep)
        #expect(
            controller.pressureChecked(hot, size: 12, at: .seconds(2))
                == .resize(to: 4, because: .thermal))
        #expect(
            controller.pressureChecked(short, size: 4, at: .seconds(3))
                == .resize(to: 3, because: .memoryPressure))
        #expect(controller.limit == 3)
        #expect(controller.pressureChecked(.none, size: 3, at: .seconds(31)) == .keep)
        #expect(controller.limit == 3)
        _ = controller.pressureChecked(.none, size: 3, at: .seconds(32))
        #expect(controller.limit == 16)
    }

    @Test func followsMovedBoundsBetweenTheEndsOfWindows() {
        var controller = PoolController(PoolRules())
        var rules = PoolRules()
        rules.cap = 6
        controller.rulesChanged(rules)
        #expect(
            controller.pressureChecked(.none, size: 12, at: .seconds(1))
                == .resize(to: 6, because: .settings))
        #expect(
            controller.pressureChecked(.none, size: 2, at: .seconds(2))
                == .resize(to: 3, because: .settings))
    }

    @Test func heatKeepsTheFloor() {
        var rules = PoolRules()
        rules.floor = 6
        var controller = PoolController(rules)
        #expect(
            controller.windowEnded(window(12, peak: 12, hot), at: .seconds(1))
                == .resize(to: 6, because: .thermal))
    }

    @Test func unknownStateDoesNotEndARest() {
        var controller = PoolController(PoolRules())
        _ = controller.windowEnded(window(12, peak: 12, hot), at: .seconds(1))
        #expect(controller.windowEnded(window(4, peak: 4), at: .seconds(20)) == .keep)
        #expect(controller.limit == 4)
    }
}
