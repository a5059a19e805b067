import TestSupport
import Durations
import Testing

@Suite struct HistogramOracleTests {
    /// A histogram of random durations, and the sorted durations in nanoseconds.
    private func drawn(_ count: Int, seed: UInt64, scale: Double) -> (DurationHistogram, [UInt64]) {
        var random = Random(seed: seed)
        var histogram = DurationHistogram()
        let values = (0..<count).map { _ in random.heavyTail(scale: scale) }
        for value in values { histogram.add(.nanoseconds(value)) }
        return (histogram, values.sorted())
    }

    @Test(arguments: [(1, 2e3), (2, 5e4), (3, 1e6), (4, 3e7)])
    func quantilesOfHeavyTailsMatchAnExactSort(seed: UInt64, scale: Double) throws {
        for count in [2, 19, 20, 99, 100, 1000, 20_000] {
            let (histogram, sorted) = drawn(count, seed: seed, scale: scale)
            for share in [0.1, 0.5, 0.9, 0.95, 0.99, 0.999] where Double(count) * (1 - share) >= 1 {
                let rank = Int((Double(count) * share - 1e-9).rounded(.up))
                let exact = Double(sorted[max(rank, 1) - 1])
                let measured = try #require(histogram.quantile(share)) / .nanoseconds(1)
                #expect(abs(measured - exact) <= exact * 0.016, "\(count) durations, \(share)")
            }
        }
    }

    @Test(arguments: [(0.5, 2), (0.95, 20), (0.99, 100), (0.999, 1000)])
    func aQuantileIsAbsentWithFewerThanOneDurationBeyondIt(share: Double, required: UInt64) {
        var histogram = DurationHistogram()
        histogram.add(.milliseconds(1), times: required - 1)
        #expect(histogram.quantile(share) == nil)
        histogram.add(.milliseconds(1))
        #expect(histogram.quantile(share) != nil)
    }

    /// If a quantile is absent, a reader may show the longest duration, which is then the quantile of the nearest rank.
    @Test(arguments: [21, 22, 23])
    func theLongestIsTheNearestRankOfTooFewDurations(seed: UInt64) throws {
        for count in 1...120 {
            let (histogram, sorted) = drawn(count, seed: seed + UInt64(count), scale: 1e5)
            for share in [0.5, 0.95, 0.99] {
                let exact = Double(sorted[max(Int((Double(count) * share - 1e-9).rounded(.up)), 1) - 1])
                let shown = (histogram.quantile(share) ?? histogram.longest) / .nanoseconds(1)
                #expect(abs(shown - exact) <= exact * 0.016, "\(count) durations, \(share)")
                if histogram.quantile(share) == nil { #expect(shown == Double(sorted[count - 1])) }
            }
        }
        #expect(DurationHistogram().quantile(0.5) == nil && DurationHistogram().longest == .zero)
    }

    @Test func aQuantileOutsideOfZeroToOneIsAbsent() {
        var histogram = DurationHistogram()
        histogram.add(.milliseconds(1), times: 1000)
        for share in [-0.1, 1, 1.5, .nan, .infinity, -.infinity] { #expect(histogram.quantile(share) == nil) }
    }

    @Test func mergingIsAddition() {
        let (one, oneSorted) = drawn(5000, seed: 8, scale: 1e5)
        let (other, otherSorted) = drawn(3000, seed: 9, scale: 1e7)
        var merged = one
        merged += other
        var whole = DurationHistogram()
        for value in oneSorted + otherSorted { whole.add(.nanoseconds(value)) }
        #expect(merged == whole)
        #expect(merged.count == 8000)
        #expect(merged.sum == .nanoseconds((oneSorted + otherSorted).reduce(0, +)))
        #expect(merged.mean == .nanoseconds((oneSorted + otherSorted).reduce(0, +) / 8000))
        #expect(merged != one && DurationHistogram().mean == nil)
    }

    @Test(arguments: [11, 12, 13])
    func shareWithinALimitMatchesAnExactCount(seed: UInt64) throws {
        let (histogram, sorted) = drawn(20_000, seed: seed, scale: 1e6)
        for limit: UInt64 in [500_000, 1_500_000, 2_000_000, 20_000_000, 900_000_000] {
            let exact = Double(sorted.count { $0 <= limit }) / Double(sorted.count)
            // Only the durations in the bin of the limit, at most a fiftieth of all, are divided proportionally.
            #expect(abs(try #require(histogram.share(within: .nanoseconds(limit))) - exact) < 0.004)
        }
        #expect(histogram.share(within: .seconds(Int64.max)) == 1)
        #expect(DurationHistogram().share(within: .nanoseconds(1)) == nil)
    }

    @Test func extremeDurationsAreCountedAndNeverTrap() {
        var histogram = DurationHistogram()
        for value in [0, 1, 31, 32, 63, 64, UInt64(1) << 36, .max - 1, .max] {
            histogram.add(.nanoseconds(value), times: 3)
        }
        #expect(histogram.count == 27)
        #expect(histogram.longest == .nanoseconds(UInt64.max))
        #expect(histogram.quantile(0.5) == .nanoseconds(63))
        #expect(histogram.count(inBin: -1) == 0 && histogram.count(inBin: 5000) == 0)
    }
}
