import PoolPolicy
import Benchmarks
import Testing

/// Tests the claims of the documentation about the pool with simulated loads.
@Suite struct PoolSimulatorTests {
    private static let tenMinutes = 18_000

    private func run(_ policy: PoolSimulator.Policy, _ shape: LoadTrace.Shape = .camera) -> PoolSimulator.Result {
        PoolSimulator.run(policy, shape, seed: 1, frames: Self.tenMinutes)
    }

    private var adaptive: PoolSimulator.Policy { .adaptive(PoolRules(), growsOnDemand: true) }

    @Test func fixedPoolsStallAboutAsOftenAsPublished() {
        let (small, large) = (run(.fixed(8)), run(.fixed(16)))
        #expect((0.09...0.15).contains(Double(small.stalled) / Double(small.frames)))
        #expect((0.01...0.05).contains(Double(large.stalled) / Double(large.frames)))
    }

    @Test func stallsNoMoreThanTheLargeFixedPoolAtSixtyPercentOfItsMemory() {
        let (large, ours) = (run(.fixed(16)), run(adaptive))
        #expect(ours.stalled <= large.stalled)
        #expect(ours.meanSize < 0.6 * 16)
        #expect(ours.peakSize <= 16)
    }

    @Test(arguments: LoadTrace.Shape.allCases)
    func stallsNoMoreThanTheLargeFixedPoolInAnyLoad(shape: LoadTrace.Shape) {
        let (large, ours) = (run(.fixed(16), shape), run(adaptive, shape))
        #expect(ours.stalled <= large.stalled)
        #expect(ours.meanSize < 16)
    }

    @Test func neverResizesAtASteadyLoad() {
        #expect(run(adaptive, .steady).resizes == 0)
    }

    @Test func theSameSeedGivesTheSameRun() {
        #expect(run(adaptive) == run(adaptive))
        #expect(
            PoolSimulator.run(adaptive, .camera, seed: 1, frames: 100_000)
                != PoolSimulator.run(adaptive, .camera, seed: 2, frames: 100_000))
    }

    @Test func acceptsARunWithoutFrames() {
        #expect(PoolSimulator.run(adaptive, .camera, seed: 1, frames: 0).meanSize == 0)
    }
}
