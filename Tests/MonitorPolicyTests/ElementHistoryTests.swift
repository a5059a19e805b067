import Durations
import TestSupport
import MonitorPolicy
import Testing

@Suite struct ElementHistoryTests {
    private static let second: UInt64 = 1_000_000_000

    @Test func eachWindowHasTheFramesOfItsTimeAndNoOthers() throws {
        let record = ElementRecord(name: "a", factory: "b", now: 0)
        let sink = record.addPad(.sink)
        var history = ElementHistory(now: .zero)
        var random = Random(seed: 31)
        var recorded: [(time: UInt64, age: UInt64)] = []
        for tick in 1...100 as ClosedRange<UInt64> {
            // The ages of the frames rise from second to second, and each tick is up to 50 ms late.
            let now = tick * Self.second + random.below(50_000_000)
            for _ in 0..<(20 + random.below(20)) {
                let age = random.heavyTail(scale: Double(tick) * 1e5)
                sink.framePassed(pts: 0, now: now - 1)
                sink.recordAge(Int64(age))
                recorded.append((now, age))
            }
            history.tick(record.read(now: now), now: .nanoseconds(now))
            for seconds in [5, 30, 60] as [UInt64] where tick > 60 {
                let window = history.figures(last: .seconds(seconds))
                let ages = recorded.filter { $0.time > now - seconds * Self.second + 50_000_000 }.map(\.age).sorted()
                #expect(window.framesIn == UInt64(ages.count) && window.age.histogram.count == UInt64(ages.count))
                let exact = Double(ages[Int((Double(ages.count) * 0.95).rounded(.up)) - 1])
                #expect(
                    abs(try #require(window.age.histogram.quantile(0.95)) / .nanoseconds(1) - exact) <= exact * 0.016)
                #expect(window.age.histogram.sum == .nanoseconds(ages.reduce(0, +)))
            }
        }
        let total = history.figuresSinceStart
        #expect(total.framesIn == UInt64(recorded.count) && total.age.histogram.count == UInt64(recorded.count))
        #expect(total.age.histogram.longest == recorded.map { .nanoseconds($0.age) }.max())
    }

    @Test func theRateLeavesOutQuietTimeAndCountsAStall() throws {
        let record = ElementRecord(name: "a", factory: "b", now: 0)
        let sink = record.addPad(.sink)
        var history = ElementHistory(now: .zero)
        var now: UInt64 = 0
        func play(_ seconds: Int, framesPerSecond: Int) {
            for _ in 0..<seconds {
                for _ in 0..<framesPerSecond {
                    sink.framePassed(pts: 0, now: now)
                    record.quiet.frameArrived(now: now)
                }
                now += Self.second
                history.tick(record.read(now: now), now: .nanoseconds(now))
            }
        }
        play(10, framesPerSecond: 30)
        record.quiet.begin(now: now, until: .max)
        play(3, framesPerSecond: 0)
        #expect(try #require(history.figures(last: .seconds(10)).rate) == 30)
        play(1, framesPerSecond: 30)
        play(5, framesPerSecond: 0)
        #expect(history.figures(last: .seconds(5)).rate == 0)
        #expect(history.figures(last: .seconds(5)).quiet == .zero)
    }

    @Test func readingsTooSoonOrFromThePastAreNotTaken() {
        var history = ElementHistory(now: .nanoseconds(100))
        var counts = ElementCounts()
        for now in [0, 100, 101, Self.second / 2] as [UInt64] {
            counts.framesIn += 1
            history.tick(counts, now: .nanoseconds(now))
        }
        #expect(history.figures(last: .seconds(Int64.max)).length == .zero)
        history.tick(counts, now: .nanoseconds(Self.second + 100))
        #expect(history.figures(last: .seconds(Int64.max)).framesIn == 4)
    }

    @Test func aCountThatFallsHasNoFrames() {
        var history = ElementHistory(now: .zero)
        var counts = ElementCounts()
        counts.framesIn = 100
        var ages = DurationHistogram()
        ages.add(.nanoseconds(5), times: 100)
        counts.age = LatencyCounts(histogram: ages)
        history.tick(counts, now: .nanoseconds(Self.second))
        counts.framesIn = 50
        counts.age = LatencyCounts()
        history.tick(counts, now: .nanoseconds(2 * Self.second))
        #expect(history.figures(last: .seconds(1)).framesIn == 0)
        #expect(history.figures(last: .seconds(1)).age.histogram.count == 0)
    }

    @Test func aLongerShortWindowHasLongerTicks() {
        var history = ElementHistory(shortWindow: .seconds(60), now: .zero)
        var counts = ElementCounts()
        for second in 1...1000 as ClosedRange<UInt64> {
            counts.framesIn += 1
            history.tick(counts, now: .nanoseconds(second * Self.second))
        }
        #expect(history.figures(last: .seconds(60)).framesIn == 60)
        #expect(history.figures(last: .seconds(Int64.max)).framesIn == 720)
    }
}
