import MonitorPolicy
import Testing

@Suite struct ElementRecordTests {
    private let record = ElementRecord(name: "encoder", factory: "x264enc", now: 0)

    @Test func countsAreTheSumOfThePads() {
        let sinks = [record.addPad(.sink), record.addPad(.sink)]
        let source = record.addPad(.source)
        for pad in sinks + sinks + sinks { pad.framePassed(pts: 0, now: 1, bytes: 10) }
        source.framePassed(pts: 0, now: 1, bytes: 4)
        source.recordAge(500)
        sinks[0].recordAge(400)
        source.recordBlocked(9)
        let counts = record.read(now: 2)
        #expect(counts.framesIn == 6 && counts.framesOut == 1 && counts.bytesIn == 60 && counts.bytesOut == 4)
        #expect(counts.frames == 1 && counts.blocked == .nanoseconds(9))
        #expect(counts.age.histogram.count == 1 && counts.age.histogram.sum == .nanoseconds(500))
        #expect(counts.dropped == nil, "drops of an element with several sink pads cannot be counted")
    }

    @Test func aSinkHasTheRateAndTheAgeOfTheFramesThatEnter() {
        let sink = record.addPad(.sink)
        sink.framePassed(pts: 0, now: 1)
        sink.recordAge(400)
        let counts = record.read(now: 2)
        #expect(counts.frames == 1 && counts.age.histogram.sum == .nanoseconds(400) && !counts.hasOutput)
    }

    /// Frames on source pads do not count.
    @Test func lastFrameIsTheLatestThatEntered() {
        #expect(record.lastFrame == nil)
        let sinks = [record.addPad(.sink), record.addPad(.sink)]
        let source = record.addPad(.source)
        sinks[0].framePassed(pts: 5, now: 300)
        sinks[1].framePassed(pts: 9, now: 200)
        source.framePassed(pts: 5, now: 400)
        sinks[0].framePassed(pts: FrameTimes.noPTS, now: 500)
        #expect(record.lastFrame == 500)
        for place in 0..<UInt64(FrameTimes.capacity) { sinks[1].framePassed(pts: place, now: 600 + place) }
        #expect(record.lastFrame == 855)
    }

    @Test func dropsNeverFallWhenTheElementBeginsToReportThemOrGetsAPad() {
        let sink = record.addPad(.sink)
        let source = record.addPad(.source)
        for number in 0..<100 as Range<UInt64> {
            sink.framePassed(pts: number, now: number)
            if number % 2 == 0 { source.frameLeft(pts: number, now: number, sinks: [sink]) }
        }
        let counted = record.read(now: 100).dropped ?? 0
        #expect(counted > 20)
        record.reportDropped(3)
        #expect(record.read(now: 100).dropped == counted)
        record.reportDropped(200)
        record.reportDropped(150)
        #expect(record.read(now: 100).dropped == 200)
        _ = record.addPad(.source)
        #expect(record.read(now: 100).dropped == 200)
    }

    /// `videorate` resets its counter of drops when it stops, which is before the last reading.
    @Test func aReportOfBeforeDoesNotHideLaterDrops() {
        let (sink, source) = (record.addPad(.sink), record.addPad(.source))
        record.reportDropped(1)
        for number in 0..<9 as Range<UInt64> { sink.framePassed(pts: number, now: number) }
        source.streamEnded(sinks: [sink])
        #expect(record.read(now: 100).dropped == 9)
    }

    @Test func timeBeforeTheFirstFrameAndWhilePausedIsQuiet() {
        let record = ElementRecord(name: "encoder", factory: "x264enc", now: 10)
        #expect(record.quiet.total(now: 50) == 40)
        record.quiet.frameArrived(now: 60)
        #expect(record.quiet.total(now: 100) == 50)
        record.quiet.begin(now: 100, until: .max)
        #expect(record.quiet.total(now: 130) == 80)
        record.quiet.frameArrived(now: 140)
        record.quiet.frameArrived(now: 150)
        #expect(record.quiet.total(now: 200) == 90)
    }

    @Test func aGapIsQuietUntilItsEndAndThenAStall() {
        record.quiet.frameArrived(now: 0)
        let start = record.quiet.total(now: 0)
        record.quiet.begin(now: 10, until: 30)
        #expect(record.quiet.total(now: 100) - start == 20)
        record.quiet.begin(now: 100, until: 110)
        #expect(record.quiet.total(now: 200) - start == 30)
        record.quiet.frameArrived(now: 300)
        #expect(record.quiet.total(now: 400) - start == 30)
    }

    @Test func hostileTimesOfQuietNeverTrap() {
        for time in [0, .max, 5, .max - 1, 0, 1] as [UInt64] {
            record.quiet.begin(now: time, until: 7)
            record.quiet.frameArrived(now: time &+ 3)
            record.quiet.begin(now: time, until: .max)
            _ = record.quiet.total(now: time)
        }
        #expect(record.read(now: 0).framesIn == 0)
    }
}
