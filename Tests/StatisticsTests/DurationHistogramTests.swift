import Statistics
import Testing

@Suite struct DurationHistogramTests {
    @Test func percentilesAreAtMostOneSixteenthTooHigh() {
        var times = DurationHistogram()
        #expect(times.percentile(0.5) == .zero)
        for index in 1...10_000 { times.add(.nanoseconds(index * 100)) }
        for share in [0.1, 0.5, 0.9, 0.95, 0.99] {
            let exact = Duration.milliseconds(share)
            #expect((exact...(exact * 1.0625)).contains(times.percentile(share)))
        }
        #expect(times.longest == .milliseconds(1))
        #expect(times.percentile(1) == .milliseconds(1))
    }

    @Test func acceptsAnyDuration() {
        var times = DurationHistogram()
        for power in 0..<64 { times.add(.nanoseconds((1 << UInt64(power)) &- 1)) }
        times.add(.nanoseconds(UInt64.max))
        #expect(times.count == 65)
        #expect(times.percentile(1) == .nanoseconds(UInt64.max))
    }

    @Test func clampsDurationsOutOfRange() {
        var times = DurationHistogram()
        times.add(.seconds(Int64.min))
        times.add(.nanoseconds(-1))
        #expect(times.longest == .zero)
        times.add(.seconds(Int64.max))
        #expect(times.count == 3)
        #expect(times.percentile(0.5) == .zero)
        #expect(times.percentile(1) == .nanoseconds(UInt64.max))
    }

    /// A duration of more than 18.4 seconds does not fit in 64 bits of attoseconds.
    @Test func durationsAroundEighteenSecondsKeepTheirLength() {
        for length in [Duration.seconds(18), .nanoseconds(18_446_744_073), .nanoseconds(18_446_744_074), .seconds(19)] {
            var times = DurationHistogram()
            times.add(length)
            #expect(times.longest == length)
        }
    }

    @Test func aShareOutOfRangeIsTheShortestOrTheLongest() {
        var times = DurationHistogram()
        times.add(.nanoseconds(5))
        times.add(.microseconds(1))
        for share in [-1, 0, -.infinity, .nan] as [Double] { #expect(times.percentile(share) == .nanoseconds(5)) }
        for share in [1, 2, .infinity] as [Double] { #expect(times.percentile(share) == .microseconds(1)) }
    }

    @Test func shortDurationsAreExact() {
        for nanoseconds in 0...31 {
            var times = DurationHistogram()
            times.add(.nanoseconds(nanoseconds))
            times.add(.microseconds(1))
            #expect(times.percentile(0.5) == .nanoseconds(nanoseconds))
        }
    }

    /// A caller that times one of sixteen events adds that time sixteen times.
    @Test func aSampleCountsAsOftenAsRequested() {
        var times = DurationHistogram()
        times.add(.nanoseconds(10), times: 16)
        times.add(.microseconds(1))
        #expect(times.count == 17)
        #expect(times.percentile(0.9) == .nanoseconds(10))
    }
}
