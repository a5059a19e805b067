import Statistics
import Testing

@Suite struct DurationHistogramTests {
    @Test func percentilesAreAtMostOneSixteenthTooHigh() {
        var times = DurationHistogram()
        #expect(times.percentile(0.5) == 0)
        for nanoseconds in 1...10_000 { times.add(nanoseconds: UInt64(nanoseconds) * 100) }
        for share in [0.1, 0.5, 0.9, 0.95, 0.99] {
            let exact = share * 1_000_000
            #expect((exact...(exact * 1.0625)).contains(Double(times.percentile(share))))
        }
        #expect(times.longestNanoseconds == 1_000_000)
        #expect(times.percentile(1) == 1_000_000)
    }

    @Test func acceptsAnyDuration() {
        var times = DurationHistogram()
        for power in 0..<64 { times.add(nanoseconds: (1 << UInt64(power)) &- 1) }
        times.add(nanoseconds: .max)
        #expect(times.count == 65)
        #expect(times.percentile(1) == .max)
    }

    @Test func aShareOutOfRangeIsTheShortestOrTheLongest() {
        var times = DurationHistogram()
        times.add(nanoseconds: 5)
        times.add(nanoseconds: 1000)
        for share in [-1, 0, -.infinity, .nan] as [Double] { #expect(times.percentile(share) == 5) }
        for share in [1, 2, .infinity] as [Double] { #expect(times.percentile(share) == 1000) }
    }

    @Test func shortDurationsAreExact() {
        for nanoseconds in UInt64(0)...31 {
            var times = DurationHistogram()
            times.add(nanoseconds: nanoseconds)
            times.add(nanoseconds: 1000)
            #expect(times.percentile(0.5) == nanoseconds)
        }
    }

    /// One sample in sixteen is timed and stands for all of them.
    @Test func aSampleMayStandForSeveral() {
        var times = DurationHistogram()
        times.add(nanoseconds: 10, times: 16)
        times.add(nanoseconds: 1000)
        #expect(times.count == 17)
        #expect(times.percentile(0.9) == 10)
    }
}
