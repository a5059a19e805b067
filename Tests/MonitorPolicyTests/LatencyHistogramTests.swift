import MonitorPolicy
import Testing

@Suite struct LatencyHistogramTests {
    /// Draws latencies and returns the histogram beside the sorted oracle.
    private func drawn(_ count: Int, seed: UInt64, scale: Double) -> (LatencyHistogram, [UInt64]) {
        var random = Random(seed: seed)
        var histogram = LatencyHistogram()
        let values = (0..<count).map { _ in random.heavyTail(scale: scale) }
        for value in values { histogram.add(value) }
        return (histogram, values.sorted())
    }

    @Test(arguments: [(1, 2e3), (2, 5e4), (3, 1e6), (4, 3e7)])
    func quantilesOfHeavyTailsMatchAnExactSort(seed: UInt64, scale: Double) throws {
        for count in [2, 19, 20, 99, 100, 1000, 20_000] {
            let (histogram, sorted) = drawn(count, seed: seed, scale: scale)
            for share in [0.1, 0.5, 0.9, 0.95, 0.99, 0.999] where Double(count) * (1 - share) >= 1 {
                let rank = Int((Double(count) * share - 1e-9).rounded(.up))
                let exact = Double(sorted[max(rank, 1) - 1])
                let measured = Double(try #require(histogram.quantile(share)))
                #expect(abs(measured - exact) <= exact * 0.016, "\(count) frames, \(share)")
            }
        }
    }

    @Test(arguments: [(0.5, 2), (0.95, 20), (0.99, 100), (0.999, 1000)])
    func aQuantileIsAbsentWithFewerThanOneFrameBeyondIt(share: Double, required: UInt64) {
        var histogram = LatencyHistogram()
        histogram.add(1_000_000, times: required - 1)
        #expect(histogram.quantile(share) == nil)
        histogram.add(1_000_000)
        #expect(histogram.quantile(share) != nil)
    }

    @Test func aQuantileOutsideOfZeroToOneIsAbsent() {
        var histogram = LatencyHistogram()
        histogram.add(1_000_000, times: 1000)
        for share in [-0.1, 1, 1.5, .nan, .infinity] { #expect(histogram.quantile(share) == nil) }
    }

    @Test func mergingIsAddition() {
        let (one, oneSorted) = drawn(5000, seed: 8, scale: 1e5)
        let (other, otherSorted) = drawn(3000, seed: 9, scale: 1e7)
        var merged = one
        merged += other
        var whole = LatencyHistogram()
        for value in oneSorted + otherSorted { whole.add(value) }
        #expect(merged == whole)
        #expect(merged.count == 8000)
    }

    @Test(arguments: [11, 12, 13])
    func shareWithinALimitMatchesAnExactCount(seed: UInt64) throws {
        let (histogram, sorted) = drawn(20_000, seed: seed, scale: 1e6)
        for limit: UInt64 in [500_000, 1_500_000, 2_000_000, 20_000_000, 900_000_000] {
            let exact = Double(sorted.count { $0 <= limit }) / Double(sorted.count)
            // At most the frames of one bin, a fiftieth of all, are divided in proportion.
            #expect(abs(try #require(histogram.share(within: limit)) - exact) < 0.004)
        }
        #expect(histogram.share(within: .max) == 1)
        #expect(LatencyHistogram().share(within: 1) == nil)
    }

    @Test func extremeLatenciesAreCountedAndNeverTrap() {
        var histogram = LatencyHistogram()
        for value in [0, 1, 31, 32, 63, 64, UInt64(1) << 36, .max - 1, .max] { histogram.add(value, times: 3) }
        #expect(histogram.count == 27)
        #expect(histogram.longest == .max)
        #expect(histogram.quantile(0.5) == 63 || histogram.quantile(0.5) == 62)
        #expect(histogram.count(inBin: -1) == 0 && histogram.count(inBin: 5000) == 0)
    }
}
