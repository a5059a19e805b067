import MachineState
import Testing

@testable import AdaptivePool
@testable import PoolPolicy

@Suite struct PoolPressureTests {
    private func pressure(
        _ memory: MemoryState, _ heat: ThermalLevel, memoryCounts: Bool = true, heatCounts: Bool = true
    ) -> PoolPressure {
        PoolPressure(memory, heat, AdaptivePoolSettings.MachineConditions(memory: memoryCounts, heat: heatCounts))
    }

    @Test(arguments: [(MemoryState.unknown, false), (.enough, false), (.short, true)])
    func onlyShortMemoryIsPressure(memory: MemoryState, isShort: Bool) {
        #expect(pressure(memory, .unknown) == PoolPressure(isMemoryShort: isShort))
    }

    @Test(arguments: [
        (ThermalLevel.unknown, false), (.nominal, false), (.fair, false), (.serious, true), (.critical, true),
        (.shutdown, true),
    ])
    func heatFromSeriousIsPressure(heat: ThermalLevel, isHot: Bool) {
        #expect(pressure(.unknown, heat) == PoolPressure(isHot: isHot))
    }

    @Test func settingsDisableEitherPressure() {
        #expect(pressure(.short, .critical, memoryCounts: false) == PoolPressure(isHot: true))
        #expect(pressure(.short, .critical, heatCounts: false) == PoolPressure(isMemoryShort: true))
        #expect(pressure(.short, .critical, memoryCounts: false, heatCounts: false) == .none)
    }
}
