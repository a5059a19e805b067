import Testing

@testable import QueuePolicy

@Suite struct StreamFactsTests {
    private let ms: UInt64 = 1_000_000
    private let signed: Int64 = 1_000_000

    private func facts(latency: UInt64, _ sinks: SinkTiming) -> StreamFacts {
        var facts = StreamFacts()
        facts.capsChanged(.pictures, frameDuration: 33 * ms)
        facts.latencyTold(latency, sinks)
        return facts
    }

    private func frame(bornAt: Int64, enteredAt: UInt64) -> QueuedFrame {
        var frame = QueuedFrame()
        frame.enteredAt = enteredAt
        frame.ageOnEntry = Int64(clamping: enteredAt).subtractingClamped(bornAt)
        return frame
    }

    // MARK: Deadline

    @Test(arguments: [(0, 200), (100, 300), (-50, 150), (-300, 0)] as [(Int64, UInt64)])
    func offsetOfSinkMovesDeadline(offset: Int64, permitted: UInt64) {
        let facts = facts(
            latency: 200 * ms, SinkTiming(anyKeepsTime: true, allKeepTime: true, offset: offset * signed))
        #expect(facts.permittedWait == permitted * ms)
        #expect(facts.deadline == (permitted > 0 ? Int64(permitted * ms) : nil))
    }

    @Test func clockSyncWaitsForAnsweredLatency() {
        var facts = facts(latency: 0, SinkTiming(anyKeepsTime: true, waitsForAnsweredLatency: true))
        facts.answeredLatency = 240 * ms
        #expect(facts.permittedWait == 240 * ms)
        facts.latencyTold(0, SinkTiming(keepTime: true))
        #expect(facts.permittedWait == 0)
    }

    @Test(arguments: [0, 1, .max / 2, .max] as [UInt64], [.min, -1, 0, .max] as [Int64])
    func extremeLatenciesAndAgesDoNotOverflow(latency: UInt64, time: Int64) {
        var facts = facts(latency: latency, SinkTiming(anyKeepsTime: true, allKeepTime: true, offset: time))
        facts.framePushed(frame(bornAt: .min, enteredAt: .max), now: 0)
        facts.framePushed(frame(bornAt: .max, enteredAt: 0), now: .max)
        facts.frameReleased(bornAt: .min, after: .max, now: .max)
        facts.frameReleased(bornAt: time, after: 0, now: 0)
        facts.pushReturned(age: time, after: .max)
        #expect(facts.processing <= facts.permittedWait)
    }

    // MARK: Processing time

    @Test func lateFramesRaiseProcessingTime() {
        var facts = facts(latency: 200 * ms, SinkTiming(keepTime: true))
        for _ in 0..<40 { facts.pushReturned(age: 190 * signed, after: 60 * ms) }
        #expect((50 * ms...60 * ms).contains(facts.processing), "\(facts.processing)")
    }

    @Test func returnedPushesIntoQueueShowNothing() {
        var facts = facts(latency: 200 * ms, SinkTiming(keepTime: true))
        for _ in 0..<40 { facts.pushReturned(age: 190 * signed, after: 60 * ms) }
        let before = facts.processing
        for _ in 0..<2000 { facts.pushReturned(age: 20 * signed, after: 0) }
        #expect(facts.processing == before)
    }

    @Test func frameThatLeftLateAndWasInTimeLowersProcessingTime() {
        var facts = facts(latency: 200 * ms, SinkTiming(keepTime: true))
        for _ in 0..<40 { facts.pushReturned(age: 190 * signed, after: 60 * ms) }
        for _ in 0..<4 { facts.pushReturned(age: 190 * signed, after: 11 * ms) }
        #expect(facts.processing < 15 * ms, "\(facts.processing)")
    }

    /// A sink keeps its last sample until it renders the next frame, however long that takes to come.
    @Test func releaseAfterDroppedFramesIsNotLate() {
        var facts = facts(latency: 100 * ms, SinkTiming(keepTime: true))
        for number in 0..<50 as Range<Int64> {
            // Two of three frames are dropped, and each is rendered at its time.
            let bornAt = number * 99 * signed
            facts.framePushed(frame(bornAt: bornAt, enteredAt: UInt64(bornAt)), now: UInt64(bornAt) + 30 * ms)
            guard number > 0 else { continue }
            let rendered = UInt64(bornAt) + 101 * ms
            facts.frameReleased(bornAt: bornAt - 99 * signed, after: 170 * ms, now: rendered)
        }
        #expect(facts.processing == 0)
    }

    // MARK: Successors

    @Test func successorIsFrameAfterReleasedOne() {
        var frames = PushedFrames()
        #expect(frames.successor(of: 0) == nil)
        for number in 0..<100 as Range<Int64> { frames.append(.init(bornAt: number * 1_000_000, age: number)) }
        #expect(frames.successor(of: 98_000_000)?.age == 99)
        #expect(frames.successor(of: 50_000_300)?.age == 51)
        #expect(frames.successor(of: 99_000_000) == nil)
        // So many frames are in flight that the released one is not known any more.
        #expect(frames.successor(of: 10_000_000) == nil)
    }

    @Test func framesFarApartDoNotOverflow() {
        var frames = PushedFrames()
        frames.append(.init(bornAt: -5_000_000_000_000_000_000, age: 0))
        frames.append(.init(bornAt: 5_000_000_000_000_000_000, age: 1))
        #expect(frames.successor(of: -5_000_000_000_000_000_000)?.age == 1)
    }

    // MARK: Frame duration

    @Test func packetsOfOnePictureShareItsDuration() {
        var facts = StreamFacts()
        for picture in 0..<50 as Range<Int64> {
            for _ in 0..<100 {
                var packet = QueuedFrame()
                packet.startsAt = picture * 40 * signed
                facts.frameEntered(packet)
            }
        }
        #expect((390_000...410_000).contains(facts.frameDuration), "\(facts.frameDuration)")
    }

    @Test func newCapsDiscardMeasuredDuration() {
        var facts = StreamFacts()
        for number in 0..<20 as Range<Int64> {
            var frame = QueuedFrame()
            frame.startsAt = number * 10 * signed
            facts.frameEntered(frame)
        }
        #expect(facts.frameDuration == 10 * ms)
        facts.capsChanged(.pictures, frameDuration: nil)
        #expect(facts.frameDuration == StreamFacts.presumedDuration)
    }
}
