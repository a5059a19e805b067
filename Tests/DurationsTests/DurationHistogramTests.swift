import Durations
import Testing

@Suite struct DurationHistogramTests {
    @Test func quantilesOfEvenDurationsAreWithinSixteenPerMille() throws {
        var times = DurationHistogram()
        #expect(times.quantile(0.5) == nil)
        for index in 1...10_000 { times.add(.nanoseconds(index * 100)) }
        for share in [0.1, 0.5, 0.9, 0.95, 0.99] {
            let exact = Duration.milliseconds(share)
            let error = try #require(times.quantile(share)) - exact
            #expect(max(error, .zero - error) <= exact * 0.016)
        }
        #expect(times.longest == .milliseconds(1))
    }

    @Test func acceptsAnyDuration() {
        var times = DurationHistogram()
        for power in 0..<64 { times.add(.nanoseconds((1 << UInt64(power)) &- 1)) }
        times.add(.nanoseconds(UInt64.max))
        #expect(times.count == 65)
        #expect(times.longest == .nanoseconds(UInt64.max))
    }

    @Test func clampsDurationsOutOfRange() {
        var times = DurationHistogram()
        times.add(.seconds(Int64.min))
        times.add(.nanoseconds(-1))
        #expect(times.longest == .zero)
        times.add(.seconds(Int64.max))
        #expect(times.count == 3)
        #expect(times.quantile(0.5) == .zero)
        #expect(times.longest == .nanoseconds(UInt64.max))
    }

    /// A duration of more than 18.4 seconds does not fit in 64 bits of attoseconds.
    @Test func durationsAroundEighteenSecondsKeepTheirLength() {
        for length in [Duration.seconds(18), .nanoseconds(18_446_744_073), .nanoseconds(18_446_744_074), .seconds(19)] {
            var times = DurationHistogram()
            times.add(length)
            #expect(times.longest == length)
        }
    }

    @Test func theShareZeroIsTheShortest() {
        var times = DurationHistogram()
        times.add(.nanoseconds(5))
        times.add(.microseconds(1))
        #expect(times.quantile(0) == .nanoseconds(5))
    }

    @Test func shortDurationsAreExact() {
        for nanoseconds in 0...63 {
            var times = DurationHistogram()
            times.add(.nanoseconds(nanoseconds))
            times.add(.microseconds(1))
            #expect(times.quantile(0.5) == .nanoseconds(nanoseconds))
        }
    }

    /// A caller that measures only one of sixteen events adds the measured time sixteen times.
    @Test func aSampleCountsAsOftenAsRequested() {
        var times = DurationHistogram()
        times.add(.nanoseconds(10), times: 16)
        times.add(.microseconds(1))
        #expect(times.count == 17)
        #expect(times.quantile(0.9) == .nanoseconds(10))
    }

    @Test func durationsBeyondTheBinsCountAsTheLongest() {
        var times = DurationHistogram()
        times.add(.seconds(60), times: 100)
        times.add(.seconds(100), times: 50)
        times.add(.seconds(120), times: 50)
        #expect(times.quantile(0.9) == .seconds(120))
        var short = DurationHistogram()
        short.add(.seconds(68), times: 200)
        #expect(short.quantile(0.9).map { $0 >= .seconds(67) && $0 <= .seconds(68) } == true)
    }

    /// A count has 48 bits, which are stored in two parts.
    @Test func countsOfMoreThan32BitsAreExact() {
        var times = DurationHistogram()
        let most = UInt64(UInt32.max)
        for _ in 0..<3 { times.add(.nanoseconds(7), times: most) }
        times.add(5 << 32, toBin: 7)
        times.add(1, toBin: 7)
        #expect(times.count(inBin: 7) == 3 * most + (5 << 32) + 1)
        #expect(times.count == times.count(inBin: 7))
        var twice = times
        twice += times
        #expect(twice.count(inBin: 7) == 2 * times.count(inBin: 7))
    }

    @Test func countsOfBinsAreMergedWithTheirSumAndMaximum() {
        var (times, bins) = (DurationHistogram(), DurationHistogram())
        for value in [3, 70, 5000, 1_000_000] { times.add(.nanoseconds(value), times: 2) }
        for bin in 0..<DurationBins.count { bins.add(times.count(inBin: bin), toBin: bin) }
        bins.add(9, toBin: -1)
        bins.add(9, toBin: DurationBins.count)
        #expect(bins != times)
        bins.extend(sum: times.sum, longest: times.longest)
        #expect(bins == times)
    }

    /// A histogram must be small, because the queue and the pool copy it while they hold their mutex.
    @Test func takesSixKilobytes() { #expect(MemoryLayout<DurationHistogram>.size <= 6200) }
}
