import StreamControl
import Testing

/// Timelines are drawn: one letter is one frame at the entrance, and what becomes of it is a letter too.
@Suite struct BackpressurePolicyTests {
    private let ms: UInt64 = 1_000_000

    private func frame(_ letter: Character = "k", at time: UInt64 = 0) -> QueuedFrame {
        var frame = QueuedFrame()
        frame.isDelta = letter == "d"
        frame.headerCount = letter == "H" ? 1 : 0
        frame.enteredAt = time
        return frame
    }

    /// e enqueued, x dropped, m makes room, w waits; nothing ever leaves.
    private func play(_ drawing: String, _ limits: BackpressureLimits) -> String {
        var policy = BackpressurePolicy()
        policy.limits = limits
        var result = ""
        for letter in drawing {
            let frame = frame(letter)
            switch policy.frameArrived(frame, inFlight: 0) {
            case .enqueue:
                policy.frameEnqueued(frame)
                result += "e"
            case .drop(let reason):
                policy.arrivalDropped(frame, reason)
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
    func aFullQueueLeaksWhereItIsTold(leak: Leak, frames: String, fate: String) {
        var limits = BackpressureLimits()
        limits.maxBuffers = 2
        limits.leak = leak
        #expect(play(frames, limits) == fate)
    }

    @Test func aDisabledPolicyKeepsNoDeltasBack() {
        var limits = BackpressureLimits()
        limits.leak = .upstream
        limits.isEnabled = false
        #expect(play("kdd", limits) == "exx")
        var policy = BackpressurePolicy()
        policy.limits = limits
        policy.arrivalDropped(frame("d"), .full)
        let arrival = policy.frameArrived(frame("d"), inFlight: 0)
        #expect(arrival == .enqueue)
    }

    @Test func framesGoOutWhileThereAreCredits() {
        var policy = BackpressurePolicy()
        policy.limits.maxInFlight = 3
        var several = frame()
        several.count = 5
        expectEqual(policy.frameIsNext(several, inFlight: 0, oldestPushedAt: nil, now: 0), .push(3))
        expectEqual(policy.frameIsNext(frame(), inFlight: 2, oldestPushedAt: 0, now: 0), .push(1))
        expectEqual(
            policy.frameIsNext(frame(), inFlight: 3, oldestPushedAt: 5 * ms, now: 6 * ms),
            .waitForCredit(until: 2005 * ms))
        #expect(policy.isWaitingForCredit)
        expectEqual(policy.frameIsNext(frame(), inFlight: 3, oldestPushedAt: 5 * ms, now: 2005 * ms), .expireOldest)
        #expect(policy.counts.mostInFlight == 3)
    }

    @Test func latencyGivesFramesMoreTime() {
        var policy = BackpressurePolicy()
        policy.limits.maxInFlight = 1
        policy.credits.latency = 500 * ms
        expectEqual(
            policy.frameIsNext(frame(), inFlight: 1, oldestPushedAt: 0, now: 1), .waitForCredit(until: 2500 * ms))
    }

    @Test func noTimeoutWaitsForEver() {
        var policy = BackpressurePolicy()
        policy.limits.maxInFlight = 1
        policy.limits.inFlightTimeout = 0
        expectEqual(policy.frameIsNext(frame(), inFlight: 1, oldestPushedAt: 0, now: .max), .waitForCredit(until: nil))
        policy.limits.inFlightTimeout = .max
        expectEqual(policy.frameIsNext(frame(), inFlight: 1, oldestPushedAt: 9, now: .max), .waitForCredit(until: nil))
    }

    @Test func whileNothingEverComesBackThePipelineIsAsked() {
        var policy = BackpressurePolicy()
        func look(_ time: UInt64) -> BackpressurePolicy.Departure {
            policy.frameIsNext(frame(), inFlight: 2, oldestPushedAt: 0, now: time * ms)
        }
        expectEqual(look(0), .waitForCredit(until: 100 * ms))
        expectEqual(look(100), .askLatency)
        policy.latencyAnswered(nil)
        #expect(policy.creditLimit == 3)
        expectEqual(policy.frameIsNext(frame(), inFlight: 2, oldestPushedAt: 0, now: 101 * ms), .push(1))
        // Once one has come back, slowness is no reason to ask.
        policy.frameReleased()
        expectEqual(
            policy.frameIsNext(frame(), inFlight: 3, oldestPushedAt: 0, now: 900 * ms), .waitForCredit(until: 2000 * ms)
        )
        // And one that comes back by itself shows that the third was not needed.
        policy.frameReleased()
        #expect(policy.creditLimit == 2)
    }

    @Test(arguments: [
        (0 as UInt64, nil as UInt64?, 2 as UInt32), (1, nil, 3), (36_670_000, 16_666_666, 5),
        (53_333_333, 33_333_333, 4),
        (100_000_000, 50_000_000, 4), (.max, 1, 4096),
    ])
    func theLimitFollowsLatencyAndFrameDuration(latency: UInt64, duration: UInt64?, limit: UInt32) {
        var credits = CreditLimit()
        (credits.latency, credits.frameDuration) = (latency, duration)
        #expect(credits.limit(setting: 0) == limit)
        #expect(credits.limit(setting: 7) == 7)
        #expect(credits.limit(setting: .max) == nil)
    }

    @Test func withoutAFramerateTheLimitFollowsWhatFramesLast() {
        var credits = CreditLimit()
        credits.latency = 500 * ms
        #expect(credits.limit(setting: 0) == 18)
        credits.frameLasted(10 * ms)
        #expect(credits.limit(setting: 0) == 52)
        credits.frameLasted(.max - 1)
        for _ in 0..<400 { credits.frameLasted(20 * ms) }
        #expect(credits.limit(setting: 0) == 27)
        credits.frameDuration = 100 * ms
        #expect(credits.limit(setting: 0) == 7)
    }

    @Test(arguments: [
        (1 as UInt32, 3 as UInt32, 4 as UInt32), (200, 2, 32), (.max, 2, 32), (1, .max - 1, 32), (3, .max, 3),
    ])
    func noPoolIsAskedToMakeThousands(maxBuffers: UInt32, maxInFlight: UInt32, asked: UInt32) {
        var policy = BackpressurePolicy()
        (policy.limits.maxBuffers, policy.limits.maxInFlight) = (maxBuffers, maxInFlight)
        #expect(policy.mostAskedFor == asked)
    }

    @Test func standingStillIsLearnedToABound() {
        var credits = CreditLimit()
        for _ in 0..<100 { credits.standsStill() }
        #expect(credits.limit(setting: 0) == 6)
        for _ in 0..<100 { credits.releasedUnasked() }
        #expect(credits.limit(setting: 0) == 2)
    }

    @Test func lateFramesAreDroppedAndHeadersAreNot() {
        var policy = BackpressurePolicy()
        policy.limits.maxLatency = 10 * ms
        expectEqual(policy.frameIsNext(frame(at: 5 * ms), inFlight: 0, oldestPushedAt: nil, now: 15 * ms), .push(1))
        expectEqual(
            policy.frameIsNext(frame(at: 5 * ms), inFlight: 0, oldestPushedAt: nil, now: 15 * ms + 1), .dropLate)
        expectEqual(policy.frameIsNext(frame("H", at: 0), inFlight: 0, oldestPushedAt: nil, now: 15 * ms), .push(1))
        expectEqual(policy.frameIsNext(frame(at: 90 * ms), inFlight: 0, oldestPushedAt: nil, now: 15 * ms), .push(1))
    }

    private func expectEqual(
        _ found: BackpressurePolicy.Departure, _ wanted: BackpressurePolicy.Departure,
        at location: SourceLocation = #_sourceLocation
    ) {
        #expect(found == wanted, sourceLocation: location)
    }
}
