import MachineState
import StreamControl
import Testing

@Suite struct BufferPoolRestTests {
    private func window(
        _ size: Int, peak: Int, memory: MemoryState = .unknown, heat: ThermalLevel = .unknown
    ) -> PoolWindow { PoolWindow(size: size, peakInUse: peak, acquires: 15, memory: memory, heat: heat) }

    @Test func shortMemoryShrinksAtOnceToTheMinimum() {
        var controller = PoolController(PoolRules())
        #expect(
            controller.windowEnded(window(16, peak: 16, memory: .short), at: .seconds(1))
                == .resize(to: 3, because: .memoryPressure))
        #expect(controller.mayGrowTo == 3)
    }

    @Test func seriousHeatShrinksToFourAndForbidsGrowthForHalfAMinute() {
        var controller = PoolController(PoolRules())
        #expect(
            controller.windowEnded(window(12, peak: 12, heat: .serious), at: .seconds(1))
                == .resize(to: 4, because: .thermal))
        for second in 2...30 {
            #expect(controller.windowEnded(window(4, peak: 4, heat: .nominal), at: .seconds(second)) == .keep)
            #expect(controller.mayGrowTo == 4)
        }
        #expect(
            controller.windowEnded(window(4, peak: 4, heat: .nominal), at: .seconds(31))
                == .resize(to: 8, because: .forecast))
        #expect(controller.mayGrowTo == 16)
    }

    /// A window may last an hour; the machine cannot wait for its end.
    @Test func isSeenBetweenTheEndsOfWindows() {
        var controller = PoolController(PoolRules())
        #expect(controller.looked(size: 12, memory: .enough, heat: .nominal, at: .seconds(1)) == .keep)
        #expect(
            controller.looked(size: 12, memory: .enough, heat: .serious, at: .seconds(2))
                == .resize(to: 4, because: .thermal))
        #expect(
            controller.looked(size: 4, memory: .short, heat: .nominal, at: .seconds(3))
                == .resize(to: 3, because: .memoryPressure))
        #expect(controller.mayGrowTo == 3)
        #expect(controller.looked(size: 3, memory: .unknown, heat: .unknown, at: .seconds(31)) == .keep)
        #expect(controller.mayGrowTo == 3)
        _ = controller.looked(size: 3, memory: .unknown, heat: .unknown, at: .seconds(32))
        #expect(controller.mayGrowTo == 16)
    }

    @Test func movedBoundsAreSeenBetweenTheEndsOfWindows() {
        var controller = PoolController(PoolRules())
        var rules = PoolRules()
        rules.cap = 6
        controller.rulesChanged(rules)
        #expect(
            controller.looked(size: 12, memory: .unknown, heat: .unknown, at: .seconds(1))
                == .resize(to: 6, because: .settings))
        #expect(
            controller.looked(size: 2, memory: .unknown, heat: .unknown, at: .seconds(2))
                == .resize(to: 3, because: .settings))
    }

    @Test func whatTheStreamNeedsStaysEvenInTheHeat() {
        var rules = PoolRules()
        rules.floor = 6
        var controller = PoolController(rules)
        #expect(
            controller.windowEnded(window(12, peak: 12, heat: .critical), at: .seconds(1))
                == .resize(to: 6, because: .thermal))
    }

    @Test func theUnknownChangesNothing() {
        var controller = PoolController(PoolRules())
        _ = controller.windowEnded(window(12, peak: 12, heat: .serious), at: .seconds(1))
        #expect(controller.windowEnded(window(4, peak: 4), at: .seconds(20)) == .keep)
        #expect(controller.mayGrowTo == 4)
    }

    @Test(arguments: [
        (
            "some avg10=0.00 avg60=0.00 avg300=0.00 total=0\nfull avg10=90.00 avg60=0 avg300=0 total=1",
            MemoryState.enough
        ),
        ("some avg10=10.01 avg60=0.00 avg300=0.00 total=0\n", .short), ("", .unknown), ("some", .unknown),
        ("some avg10= avg60=1", .unknown), ("some avg10=nan", .unknown), ("some avg10=-1", .unknown),
        ("full avg10=99.00", .unknown), ("some avg10=inf", .unknown), ("some avg10=100.01", .unknown),
        ("some avg10=0x1p3", .unknown), ("some avg10=1e1", .unknown), ("some avg10=+50", .unknown),
        ("some avg10=\u{661}\u{662}", .unknown), ("some avg10=.", .unknown), ("some avg10=100.00", .short),
    ])
    func readsPressure(text: String, state: MemoryState) { #expect(MemoryState.fromPressure(text) == state) }

    @Test(arguments: [
        ("960\n", "1000\n", "", MemoryState.short), ("960\n", "1000\n", "anon 1\ninactive_file 300\n", .enough),
        ("960", "max\n", "", .unknown), ("960", "9223372036854771712", "", .unknown), ("", "1000", "", .unknown),
        ("100", "1000", "inactive_file 5000", .enough),
        ("960", "1000", "inactive_file 0\ntotal_inactive_file 500", .enough),
        ("960", "0", "", .unknown),
    ])
    func readsAGroupsUse(current: String, limit: String, statistics: String, state: MemoryState) {
        #expect(MemoryState.fromUse(current: current, limit: limit, statistics: statistics) == state)
    }

    @Test func theGravestWitnessCounts() {
        #expect(MemoryState.unknown.and(.enough) == .enough)
        #expect(MemoryState.short.and(.enough) == .short)
        #expect(MemoryState.unknown.and(.unknown) == .unknown)
    }
}
