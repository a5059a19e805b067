import QueuePolicy
import Testing

/// Tests `BackpressurePolicy` with timelines: one letter for each frame that arrives, and one letter for each result.
@Suite struct BackpressurePolicyTests {
    private func frame(_ letter: Character = "k", at time: Duration = .zero) -> QueuedFrame {
        var frame = QueuedFrame()
        frame.isDelta = letter == "d"
        frame.headerCount = letter == "H" ? 1 : 0
        frame.enteredAt = time
        return frame
    }

    /// Lets the frames of `drawing` arrive, and returns one letter for each decision.
    ///
    /// e enqueues the frame, x drops the frame, m makes room, w waits for room. No frame leaves the queue.
    private func play(_ drawing: String, _ limits: BackpressureLimits) -> String {
        var policy = BackpressurePolicy()
        policy.limits = limits
        var result = ""
        for letter in drawing {
            let frame = frame(letter)
            switch policy.frameArrived(frame, oldest: nil, inFlight: 0, now: .zero) {
            case .enqueue:
                policy.frameEnqueued(frame)
                result += "e"
            case .drop(let reason):
                policy.arrivalDropped(frame, reason, now: .zero)
                result += "x"
            case .makeRoom: result += "m"
            case .waitForRoom: result += "w"
            }
        }
        return result
    }

    @Test(arguments: [
        (Leak.none, "kkkk", "eeww"), (.downstream, "kkkk", "eemm"), (.upstream, "kkkk", "eexx"),
        (.upstream, "kdddk", "eexxx"), (.upstream, "kdHdH", "eeexe"), (.upstream, "kHdH", "eexe"),
    ])
    func fullQueueFollowsDropPolicy(leak: Leak, frames: String, fate: String) {
        var limits = BackpressureLimits()
        limits.maxBuffers = 2
        limits.leak = leak
        #expect(play(frames, limits) == fate)
    }

    @Test func disabledPolicyPassesDeltaUnits() {
        var limits = BackpressureLimits()
        limits.leak = .upstream
        limits.maxBuffers = 1
        limits.isEnabled = false
        #expect(play("kdd", limits) == "exx")
        var policy = BackpressurePolicy()
        policy.limits = limits
        policy.arrivalDropped(frame("d"), .full, now: .zero)
        let arrival = policy.frameArrived(frame("d"), oldest: nil, inFlight: 0, now: .zero)
        #expect(arrival == .enqueue)
    }

    @Test func pushesFramesWhileCreditRemains() {
        var policy = BackpressurePolicy()
        policy.limits.maxInFlight = 3
        var several = frame()
        several.count = 5
        expectEqual(policy.frameIsNext(several, inFlight: 0, oldestPushedAt: nil, now: .zero), .push(3))
        expectEqual(policy.frameIsNext(frame(), inFlight: 2, oldestPushedAt: .zero, now: .zero), .push(1))
        expectEqual(
            policy.frameIsNext(frame(), inFlight: 3, oldestPushedAt: .milliseconds(5), now: .milliseconds(6)),
            .waitForCredit(until: .milliseconds(2005)))
        #expect(policy.isWaitingForCredit)
        expectEqual(
            policy.frameIsNext(frame(), inFlight: 3, oldestPushedAt: .milliseconds(5), now: .milliseconds(2005)),
            .expireOldest)
        #expect(policy.counts.mostInFlight == 3)
    }

    @Test func latencyExtendsInFlightTimeout() {
        var policy = BackpressurePolicy()
        policy.limits.maxInFlight = 1
        policy.latencyEventArrived(.milliseconds(500), SinkTiming(keepTime: false))
        expectEqual(
            policy.frameIsNext(frame(), inFlight: 1, oldestPushedAt: .zero, now: .nanoseconds(1)),
            .waitForCredit(until: .milliseconds(2500)))
    }

    @Test func framesNeverExpireWithoutTimeout() {
        var policy = BackpressurePolicy()
        policy.limits.maxInFlight = 1
        policy.limits.inFlightTimeout = .zero
        let farthest = Duration.nanoseconds(UInt64.max)
        expectEqual(
            policy.frameIsNext(frame(), inFlight: 1, oldestPushedAt: .zero, now: farthest), .waitForCredit(until: nil))
        policy.limits.inFlightTimeout = farthest
        let pushedAt = Duration.nanoseconds(9)
        expectEqual(
            policy.frameIsNext(frame(), inFlight: 1, oldestPushedAt: pushedAt, now: farthest),
            .waitForCredit(until: pushedAt + farthest))
    }

    @Test(arguments: [
        (0 as UInt64, nil as UInt64?, 2 as UInt32), (1, nil, 3), (36_670_000, 16_666_666, 5),
        (53_333_333, 33_333_333, 4),
        (100_000_000, 50_000_000, 4), (500_000_000, 10_000_000, 52), (.max, 1, 4096),
    ])
    func initialLimitCoversFramesOfLatency(latency: UInt64, duration: UInt64?, limit: UInt32) {
        var policy = BackpressurePolicy()
        policy.isLive = true
        policy.capsChanged(.pictures, isRaw: true, frameDuration: duration.map { .nanoseconds($0) })
        policy.latencyEventArrived(.nanoseconds(latency), SinkTiming(keepTime: true))
        #expect(policy.creditLimit == limit)
        policy.limits.maxInFlight = 7
        #expect(policy.creditLimit == 7)
        policy.limits.maxInFlight = .max
        #expect(policy.creditLimit == nil)
    }

    @Test func agesAreUsedOnlyWithASinkThatWaitsForTheClock() {
        var policy = BackpressurePolicy()
        func usesAges(live: Bool, _ sinks: SinkTiming) -> Bool {
            policy.isLive = live
            policy.latencyEventArrived(.milliseconds(40), sinks)
            return policy.usesAges
        }
        #expect(usesAges(live: true, SinkTiming(keepTime: true)))
        #expect(!usesAges(live: true, SinkTiming(keepTime: false)))
        #expect(!usesAges(live: false, SinkTiming(keepTime: true)))
    }

    @Test func nonLiveSourceIsNeitherLimitedNorDropped() {
        var policy = BackpressurePolicy()
        #expect(policy.creditLimit == nil)
        #expect(policy.leak == .none)
        #expect(!policy.dropsByDelay)
        // The default size of `queue` is 200 buffers.
        for number in 0..<200 {
            let frame = frame(at: .nanoseconds(number))
            let arrival = policy.frameArrived(frame, oldest: frame, inFlight: 0, now: .nanoseconds(number))
            #expect(arrival == .enqueue)
            policy.frameEnqueued(frame)
        }
        let arrival = policy.frameArrived(frame(), oldest: frame(), inFlight: 0, now: .nanoseconds(UInt64.max))
        #expect(arrival == .waitForRoom)
        // A later LATENCY query may report that the source is live.
        policy.isLive = true
        #expect(policy.leak == .downstream)
        #expect(policy.dropsByDelay)
    }

    @Test func measuresFrameDurationWithoutFramerate() {
        var policy = BackpressurePolicy()
        func enter(_ start: Duration, _ end: Duration?) {
            var frame = frame()
            (frame.startsAt, frame.endsAt) = (start, end)
            policy.frameEnqueued(frame)
        }
        #expect(policy.stream.frameDuration == StreamFacts.presumedDuration)
        for number in 0..<9 { enter(.milliseconds(20 * number), nil) }
        #expect(policy.stream.frameDuration == .milliseconds(20))
        for number in 9..<99 { enter(.milliseconds(20 * number), .milliseconds(20 * number + 10)) }
        #expect(policy.stream.frameDuration == .milliseconds(10))
        enter(.nanoseconds(Int64.min), .nanoseconds(Int64.max))
        #expect(policy.stream.frameDuration < .milliseconds(40), "one odd frame")
        policy.capsChanged(.pictures, isRaw: true, frameDuration: .milliseconds(100))
        #expect(policy.stream.frameDuration == .milliseconds(100))
    }

    @Test(
        arguments: [(1, 3, 4), (200, 2, 32), (.max, 2, 32), (1, .max - 1, 32), (3, .max, 3)]
            as [(UInt32, UInt32, UInt32)])
    func limitsBuffersRequestedFromPool(maxBuffers: UInt32, maxInFlight: UInt32, asked: UInt32) {
        var policy = BackpressurePolicy()
        (policy.limits.maxBuffers, policy.limits.maxInFlight) = (maxBuffers, maxInFlight)
        #expect(policy.buffersToRequest(frameSize: nil) == asked)
    }

    /// The limits are the default sizes of `queue`: 200 frames, 10 MiB and 1 s; the stream has 25 frames per second.
    @Test(arguments: [
        (12_441_600 as UInt64, 1 as UInt32), (3_110_400, 4), (10_485_760, 1), (10_485_759, 2), (1_382_400, 8),
        (115_200, 25), (0, 25),
    ])
    func requestsNoMoreBuffersThanFit(frameSize: UInt64, asked: UInt32) {
        var policy = BackpressurePolicy()
        policy.limits.isEnabled = false
        policy.capsChanged(.pictures, isRaw: true, frameDuration: .milliseconds(40))
        #expect(policy.buffersToRequest(frameSize: frameSize) == asked)
        policy.limits.maxTime = .milliseconds(90)
        #expect(policy.buffersToRequest(frameSize: frameSize) == 3, "the other sizes are disabled")
    }

    /// The ALLOCATION query precedes the first LATENCY query, so the policy must assume that the source may be live.
    @Test(arguments: [(12_441_600 as UInt64, 3 as UInt32), (3_110_400, 4)])
    func requestsWhatALiveSourceNeeds(frameSize: UInt64, waiting: UInt32) {
        var policy = BackpressurePolicy()
        policy.capsChanged(.pictures, isRaw: true, frameDuration: .milliseconds(40))
        let unknown = policy.buffersToRequest(frameSize: frameSize)
        policy.isLive = true
        let inFlight = policy.creditLimit ?? 0
        #expect(inFlight > 0)
        #expect(unknown == waiting + inFlight)
        #expect(policy.buffersToRequest(frameSize: frameSize) == 3 + inFlight)
    }

    @Test func dropsLateFramesButNotHeaders() {
        var policy = BackpressurePolicy()
        policy.limits.maxLatency = .milliseconds(10)
        policy.limits.maxInFlight = .max
        expectEqual(
            policy.frameIsNext(frame(at: .milliseconds(5)), inFlight: 0, oldestPushedAt: nil, now: .milliseconds(15)),
            .push(1))
        expectEqual(
            policy.frameIsNext(
                frame(at: .milliseconds(5)), inFlight: 0, oldestPushedAt: nil, now: .milliseconds(15) + .nanoseconds(1)),
            .drop(.late))
        expectEqual(
            policy.frameIsNext(frame("H", at: .zero), inFlight: 0, oldestPushedAt: nil, now: .milliseconds(15)),
            .push(1))
        expectEqual(
            policy.frameIsNext(frame(at: .milliseconds(90)), inFlight: 0, oldestPushedAt: nil, now: .milliseconds(15)),
            .push(1))
    }

    private func expectEqual(
        _ found: BackpressurePolicy.Departure, _ wanted: BackpressurePolicy.Departure,
        at location: SourceLocation = #_sourceLocation
    ) {
        #expect(found == wanted, sourceLocation: location)
    }
}
