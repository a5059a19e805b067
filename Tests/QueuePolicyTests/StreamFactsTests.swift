import Testing

@testable import QueuePolicy

@Suite struct StreamFactsTests {
    private func facts(latency: Duration, _ sinks: SinkTiming) -> StreamFacts {
        var facts = StreamFacts()
        facts.capsChanged(.pictures, frameDuration: .milliseconds(33))
        facts.latencyEventArrived(latency, sinks)
        return facts
    }

    private func frame(bornAt: Duration, enteredAt: Duration) -> QueuedFrame {
        var frame = QueuedFrame()
        frame.enteredAt = enteredAt
        frame.ageOnEntry = enteredAt - bornAt
        return frame
    }

    // MARK: Deadline

    @Test(arguments: [(0, 200), (100, 300), (-50, 150), (-300, 0)])
    func offsetOfSinkMovesDeadline(offset: Int, permitted: Int) {
        let facts = facts(
            latency: .milliseconds(200),
            SinkTiming(anyKeepsTime: true, allKeepTime: true, offset: .milliseconds(offset)))
        #expect(facts.permittedWait == .milliseconds(permitted))
        #expect(facts.deadline == (permitted > 0 ? .milliseconds(permitted) : nil))
    }

    @Test func clockSyncWaitsForAnsweredLatency() {
        var facts = facts(latency: .zero, SinkTiming(anyKeepsTime: true, waitsForAnsweredLatency: true))
        facts.answeredLatency = .milliseconds(240)
        #expect(facts.permittedWait == .milliseconds(240))
        facts.latencyEventArrived(.zero, SinkTiming(keepTime: true))
        #expect(facts.permittedWait == .zero)
    }

    @Test(arguments: [0, 1, .max / 2, .max] as [UInt64], [.min, -1, 0, .max] as [Int64])
    func extremeLatenciesAndAgesDoNotOverflow(nanosecondsOfLatency: UInt64, nanoseconds: Int64) {
        let (latency, time) = (Duration.nanoseconds(nanosecondsOfLatency), Duration.nanoseconds(nanoseconds))
        let (least, most) = (Duration.nanoseconds(Int64.min), Duration.nanoseconds(UInt64.max))
        var facts = facts(latency: latency, SinkTiming(anyKeepsTime: true, allKeepTime: true, offset: time))
        facts.framePushed(frame(bornAt: least, enteredAt: most), now: .zero)
        facts.framePushed(frame(bornAt: most, enteredAt: .zero), now: most)
        facts.frameReleased(bornAt: least, after: most, now: most)
        facts.frameReleased(bornAt: time, after: .zero, now: .zero)
        facts.pushReturned(bornAt: .zero, age: time, after: most)
        #expect(facts.processing <= facts.permittedWait)
    }

    // MARK: Processing time

    @Test func lateFramesRaiseProcessingTime() {
        var facts = facts(latency: .milliseconds(200), SinkTiming(keepTime: true))
        facts.showLate(40)
        #expect((.milliseconds(50) ... .milliseconds(60)).contains(facts.processing), "\(facts.processing)")
    }

    @Test func pushesIntoQueueDoNotChangeProcessingTime() {
        var facts = facts(latency: .milliseconds(200), SinkTiming(keepTime: true))
        facts.showLate(40)
        let before = facts.processing
        for number in 0..<2000 {
            facts.pushReturned(bornAt: .milliseconds(33 * number), age: .milliseconds(20), after: .zero)
        }
        #expect(facts.processing == before)
    }

    @Test func frameThatLeftLateAndWasInTimeLowersProcessingTime() {
        var facts = facts(latency: .milliseconds(200), SinkTiming(keepTime: true))
        facts.showLate(40)
        for number in 40..<44 {
            facts.pushReturned(
                bornAt: .milliseconds(33 * number), age: .milliseconds(190), after: .milliseconds(11))
        }
        #expect(facts.processing < .milliseconds(15), "\(facts.processing)")
    }

    /// The return of a push and the release of the previous frame both report that the pushed frame was rendered.
    @Test func frameInTimeCountsOnce() {
        var facts = facts(latency: .milliseconds(200), SinkTiming(keepTime: true))
        facts.showLate(40)
        let before = facts.processing
        func frameIsShown(_ number: Int) {
            let bornAt = Duration.milliseconds(33 * number)
            let (left, rendered) = (bornAt + .milliseconds(100), bornAt + .milliseconds(201))
            facts.framePushed(frame(bornAt: bornAt, enteredAt: bornAt), now: left)
            facts.pushReturned(bornAt: bornAt, age: .milliseconds(100), after: rendered - left)
            facts.frameReleased(bornAt: bornAt - .milliseconds(33), after: .milliseconds(134), now: rendered)
        }
        let streak = Int(StreamFacts.shortestStreak)
        for number in 1..<streak { frameIsShown(number) }
        #expect(facts.processing == before, "The first trial follows \(streak) frames in time.")
        frameIsShown(streak)
        #expect(facts.processing == before / 2)
    }

    /// After each failed trial, twice as many frames must be in time before the next trial, up to about 500 frames.
    @Test func failedTrialsBecomeRarer() {
        var facts = facts(latency: .milliseconds(200), SinkTiming(keepTime: true))
        facts.showLate(40)
        var number = 40
        func frameIsShown(lateBy late: Int) {
            number += 1
            facts.pushReturned(
                bornAt: .milliseconds(33 * number), age: .milliseconds(50), after: .milliseconds(150 + late))
        }
        var streaks: [Int] = []
        for _ in 0..<12 {
            let (before, first) = (facts.processing, number)
            while facts.processing == before, number - first < 2000 { frameIsShown(lateBy: 1) }
            streaks.append(number - first)
            frameIsShown(lateBy: 20)
        }
        let shortest = Int(StreamFacts.shortestStreak)
        #expect(streaks.prefix(5) == [shortest, shortest * 2, shortest * 4, shortest * 8, shortest * 16])
        #expect(streaks.suffix(2).allSatisfy { (200...1100).contains($0) }, "\(streaks)")
    }

    /// A late frame adds a quarter of its excess over the timer slack once, although two events report the excess.
    @Test(arguments: [(20, 20), (20, 40), (40, 20), (40, 40)])
    func lateFrameCountsOnce(lateAtReturn: Int, lateAtRelease: Int) {
        for releasesFirst in [false, true] {
            var facts = facts(latency: .milliseconds(200), SinkTiming(keepTime: true))
            for number in 1...3 {
                let bornAt = Duration.milliseconds(33 * number)
                let left = bornAt + .milliseconds(100)
                let due = bornAt + .milliseconds(200)
                func returns() {
                    let time = due + .milliseconds(lateAtReturn) - left
                    facts.pushReturned(bornAt: bornAt, age: .milliseconds(100), after: time)
                }
                facts.framePushed(frame(bornAt: bornAt, enteredAt: bornAt), now: left)
                if !releasesFirst { returns() }
                facts.frameReleased(
                    bornAt: bornAt - .milliseconds(33), after: .milliseconds(133),
                    now: due + .milliseconds(lateAtRelease))
                if releasesFirst { returns() }
            }
            let excess = Duration.milliseconds(max(lateAtReturn, lateAtRelease)) - StreamFacts.timerSlack
            #expect(facts.processing == excess / 4 * 3)
        }
    }

    /// A sink keeps its last sample until it renders the next frame, which may arrive much later.
    @Test func releaseAfterDroppedFramesIsNotLate() {
        var facts = facts(latency: .milliseconds(100), SinkTiming(keepTime: true))
        for number in 0..<50 {
            // Two of three frames are dropped, and the third frame is rendered in time.
            let bornAt = Duration.milliseconds(99 * number)
            facts.framePushed(frame(bornAt: bornAt, enteredAt: bornAt), now: bornAt + .milliseconds(30))
            guard number > 0 else { continue }
            let rendered = bornAt + .milliseconds(101)
            facts.frameReleased(bornAt: bornAt - .milliseconds(99), after: .milliseconds(170), now: rendered)
        }
        #expect(facts.processing == .zero)
    }

    // MARK: Successors

    @Test func successorIsFrameAfterReleasedOne() {
        var frames = PushedFrames()
        #expect(frames.successor(of: .zero) == nil)
        for number in 0..<100 { frames.append(.init(bornAt: .milliseconds(number), age: .nanoseconds(number))) }
        #expect(frames.successor(of: .milliseconds(98))?.age == .nanoseconds(99))
        #expect(frames.successor(of: .nanoseconds(50_000_300))?.age == .nanoseconds(51))
        #expect(frames.successor(of: .milliseconds(99)) == nil)
        // The frame at 10 ms is no longer recorded, because too many frames were pushed after it.
        #expect(frames.successor(of: .milliseconds(10)) == nil)
    }

    @Test func distantTimesDoNotOverflow() {
        var frames = PushedFrames()
        frames.append(.init(bornAt: .seconds(-5_000_000_000), age: .zero))
        frames.append(.init(bornAt: .seconds(5_000_000_000), age: .nanoseconds(1)))
        #expect(frames.successor(of: .seconds(-5_000_000_000))?.age == .nanoseconds(1))
    }

    // MARK: Frame duration

    @Test func packetsOfOnePictureShareItsDuration() {
        var facts = StreamFacts()
        for picture in 0..<50 {
            for _ in 0..<100 {
                var packet = QueuedFrame()
                packet.startsAt = .milliseconds(40 * picture)
                facts.frameEntered(packet)
            }
        }
        #expect((.microseconds(390) ... .microseconds(410)).contains(facts.frameDuration), "\(facts.frameDuration)")
    }

    @Test func newCapsDiscardMeasuredDuration() {
        var facts = StreamFacts()
        for number in 0..<20 {
            var frame = QueuedFrame()
            frame.startsAt = .milliseconds(10 * number)
            facts.frameEntered(frame)
        }
        #expect(facts.frameDuration == .milliseconds(10))
        facts.capsChanged(.pictures, frameDuration: nil)
        #expect(facts.frameDuration == StreamFacts.presumedDuration)
    }
}

extension StreamFacts {
    /// Pushes `count` frames at an age of 190 ms and renders them 60 ms later, 50 ms after the latency of 200 ms.
    fileprivate mutating func showLate(_ count: Int) {
        for number in 0..<count {
            pushReturned(bornAt: .milliseconds(33 * number), age: .milliseconds(190), after: .milliseconds(60))
        }
    }
}

extension SinkTiming {
    /// Creates the timing of sinks that all wait for the clock if `keepTime` is true, and otherwise do not wait.
    init(keepTime: Bool) { self.init(anyKeepsTime: keepTime, allKeepTime: keepTime) }
}
