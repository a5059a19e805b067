import TestSupport
import MonitorPolicy
import Testing

@Suite struct PadRecordTests {
    private let sink = PadRecord(role: .sink)
    private let source = PadRecord(role: .source)

    private func enter(_ pts: UInt64, at time: UInt64) { sink.framePassed(pts: pts, now: time, bytes: 100) }

    private func leave(_ pts: UInt64, at time: UInt64) {
        source.framePassed(pts: pts, now: time)
        source.frameLeft(pts: pts, now: time, sinks: [sink])
    }

    @Test func latencyIsTheTimeFromSinkPadToSourcePad() {
        for number in 0..<100 as Range<UInt64> {
            enter(number * 40, at: number * 1_000_000)
            leave(number * 40, at: number * 1_000_000 + 5000)
        }
        let latency = source.read().counts.latency
        #expect(latency.histogram.count == 100 && latency.histogram.sum == .microseconds(500) && latency.coverage == 1)
        let (entered, left) = (sink.read().counts, source.read().counts)
        #expect(entered.framesIn == 100 && entered.bytesIn == 10_000 && left.framesOut == 100)
    }

    @Test func aFrameWithUnknownTimestampLowersTheCoverage() {
        for number in 0..<3 as Range<UInt64> { enter(number * 40, at: number) }
        for number in 0..<3 as Range<UInt64> { leave(number * 40, at: 10) }
        leave(FrameTimes.noPTS, at: 11)
        let latency = source.read().counts.latency
        #expect(latency.histogram.count == 3 && latency.unknown == 1 && latency.coverage == 0.75)
    }

    @Test func latencyOfReorderedFramesIsMeasuredInFull() {
        // An encoder pushes the frames in the order I P B B, so frame 3 before frames 1 and 2.
        for group in 0..<50 as Range<UInt64> {
            for number in 0..<4 as Range<UInt64> { enter((group * 4 + number) * 40, at: group * 4000 + number * 1000) }
            for number in [0, 3, 1, 2] as [UInt64] { leave((group * 4 + number) * 40, at: group * 4000 + 4000) }
        }
        let latency = source.read().counts.latency
        #expect(latency.coverage == 1 && latency.histogram.sum == .nanoseconds(50 * (4000 + 3000 + 2000 + 1000)))
        #expect(source.read().dropped == 0)
    }

    @Test(arguments: [1, 2, 3, 7])
    func framesThatDoNotLeaveAreCountedAsDropped(step: UInt64) {
        var dropped: UInt64 = 0
        var last: UInt64 = 0
        for number in 0..<1000 as Range<UInt64> {
            enter(number * 40, at: number)
            if number % step == 0 || step == 1 { leave(number * 40, at: number) }
            #expect(source.read().dropped >= last)
            last = source.read().dropped
            if step > 1, number % step != 0, number <= 1000 - 33 { dropped += 1 }
        }
        let open = 32 as UInt64
        #expect(last <= dropped && last + open >= dropped, "\(last) of \(dropped)")
    }

    @Test func framesThatWaitInTheElementAreNotDropped() {
        for number in 0..<200 as Range<UInt64> { enter(number * 40, at: number) }
        #expect(source.read().dropped == 0)
        for number in 0..<200 as Range<UInt64> { leave(number * 40, at: number + 200) }
        #expect(source.read().dropped == 0)
    }

    @Test func flushedFramesAreNotCountedAsDropped() {
        for number in 0..<20 as Range<UInt64> { enter(number * 40, at: number) }
        sink.restart(isLate: false)
        for number in 20..<120 as Range<UInt64> {
            enter(number * 40, at: number)
            leave(number * 40, at: number)
        }
        #expect(source.read().dropped == 0)
    }

    @Test func anAggregatorHasTheLatencyOfItsEarliestInput() {
        let other = PadRecord(role: .sink)
        enter(40, at: 100)
        other.framePassed(pts: 40, now: 70)
        source.frameLeft(pts: 40, now: 200, sinks: [sink, other])
        other.framePassed(pts: 80, now: 210)
        source.frameLeft(pts: 80, now: 220, sinks: [sink, other])
        #expect(source.read().counts.latency.histogram.sum == .nanoseconds(130 + 10))
    }

    @Test func ageIsTheTimeSinceTheOriginAndNothingIsStampedAnew() {
        let origin = PadRecord(role: .origin)
        for number in 0..<300 as Range<UInt64> {
            origin.framePassed(pts: number * 40, now: number * 1000)
            sink.recordAge(pts: number * 40, now: number * 1000 + 400, origins: [origin])
        }
        sink.recordAge(pts: 0, now: 400_000, origins: [origin])
        sink.recordUnknownAge()
        let age = sink.read().counts.age
        #expect(age.histogram.count == 300 && age.histogram.sum == .nanoseconds(300 * 400) && age.unknown == 2)
    }

    @Test func aFrameFromTheFutureHasAgeZero() {
        sink.recordAge(-5)
        sink.recordAge(.min)
        let ages = sink.read().counts.age.histogram
        #expect(ages.longest == .zero && ages.count == 2)
    }

    @Test func hostileTimesAndTimestampsNeverTrap() {
        var random = Random(seed: 77)
        let extremes: [UInt64] = [0, 1, .max, .max - 1, 1 << 63]
        for step in 0..<20_000 {
            let pts = random.below(2) == 0 ? random.below(500) * 40 : extremes[Int(random.below(5))]
            let now = random.below(2) == 0 ? random.next() : extremes[Int(random.below(5))]
            switch random.below(6) {
            case 0, 1: sink.framePassed(pts: pts, now: now, bytes: random.next())
            case 2: source.frameLeft(pts: pts, now: now, sinks: [sink])
            case 3: source.recordAge(pts: pts, now: now, origins: [sink])
            case 4: source.recordBlocked(random.next())
            default: if step % 50 == 0 { sink.reset() }
            }
        }
        #expect(source.read().dropped <= 20_000)
    }
}
