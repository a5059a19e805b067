import Testing
import ThermalPolicy

@Suite struct FramePacerTests {
    private let thirty = FrameRate(30, 1)!

    private func kept(_ times: [Double], _ rate: FrameRate, of source: FrameRate?) -> [Double] {
        var pacer = FramePacer(rate, of: source)
        return times.filter { pacer.keeps(frameAt: .nanoseconds(UInt64($0 * 1_000_000_000))) }
    }

    @Test(arguments: [(20, 1), (15, 1), (25, 1), (40, 3), (10, 1), (7, 1), (1, 1), (29, 1)])
    func reducesASteadyStreamToTheRate(numerator: Int, denominator: Int) {
        let rate = FrameRate(numerator, denominator)!
        let times = (0..<3000).map { Double($0) / 30 }
        let count = Double(kept(times, rate, of: thirty).count)
        #expect(abs(count - (rate.perSecond * 100)) <= 1)
    }

    @Test func keepsTheRateWithJitter() {
        var generator = SmallGenerator(seed: 3)
        let times = (0..<3000).map { max(0, (Double($0) / 30) + generator.number(in: -0.003...0.003)) }
        #expect(abs(kept(times, FrameRate(20, 1)!, of: thirty).count - 2000) <= 2)
        #expect(kept(times, thirty, of: thirty).count == 3000)
    }

    @Test func keepsTheRateAfterAGap() {
        let before = (0..<60).map { Double($0) / 30 }
        let times = before + (0..<90).map { 600 + (Double($0) / 30) }
        let after = kept(times, FrameRate(20, 1)!, of: thirty).filter { $0 >= 600 }
        #expect(after.count == 60)
    }

    @Test func passesASlowerSource() {
        let times = (0..<300).map { Double($0) / 12 }
        #expect(kept(times, FrameRate(15, 1)!, of: thirty).count == 300)
    }

    @Test func reducesAVariableRate() {
        let times = (0..<3000).map { Double($0) / 100 }
        #expect(abs(kept(times, FrameRate(20, 1)!, of: nil).count - 600) <= 1)
    }

    @Test func countsFramesWithoutTimestamps() {
        var pacer = FramePacer(FrameRate(20, 1)!, of: thirty)
        let kept = (0..<300).map { _ in pacer.keeps(frameAt: nil) }
        #expect(kept[0])
        #expect(kept.filter { $0 }.count == 200)
        var unknown = FramePacer(FrameRate(20, 1)!, of: nil)
        let all = (0..<10).allSatisfy { _ in unknown.keeps(frameAt: nil) }
        #expect(all)
    }

    @Test func countsFramesInReverse() {
        let times = (0..<300).reversed().map { Double($0) / 30 }
        #expect(abs(kept(times, FrameRate(20, 1)!, of: thirty).count - 200) <= 1)
    }

    /// Tests that the frame after each jump passes, and that frames with timestamps of 292 years or more always pass.
    @Test func passesFramesWithExtremeTimestamps() {
        var pacer = FramePacer(FrameRate(20, 1)!, of: thirty)
        let times = [0, UInt64.max, UInt64.max - 1, UInt64(Int64.max), 0, 1, UInt64(Int64.max) - 1, UInt64.max]
        let passes = times.map { pacer.keeps(frameAt: .nanoseconds($0)) }
        #expect(passes.allSatisfy { $0 }, "\(passes)")
        for rate in [FrameRate(1, Int(Int32.max)), FrameRate(Int(Int32.max), 1)] {
            var pacer = FramePacer(rate!, of: rate)
            for time in [nil, .zero, .nanoseconds(UInt64.max), nil, .nanoseconds(5)] as [Duration?] {
                let passes = pacer.keeps(frameAt: time)
                #expect(passes, "\(String(describing: time))")
            }
        }
    }

    @Test func startsAgainAfterAFlush() {
        var pacer = FramePacer(FrameRate(1, 1)!, of: thirty)
        let before = [1000, 1100].map { pacer.keeps(frameAt: .milliseconds($0)) }
        pacer.reset()
        let after = pacer.keeps(frameAt: .milliseconds(1200))
        #expect(before == [true, false])
        #expect(after)
    }
}
