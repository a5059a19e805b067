import Testing

@testable import QueuePolicy

@Suite struct InFlightLimitTests {
    /// A limit for a downstream that releases no frame.
    private struct Stuck {
        var limit = InFlightLimit()
        var inFlight: UInt32 = 0
        private var waiting: UInt32 = 0

        /// Offers one frame in each of `steps` steps; a step lasts `duration`.
        mutating func play(steps: Int, of duration: Duration) {
            for step in 0..<steps {
                waiting += 1
                let admission = limit.admit(
                    inFlight: inFlight, waiting: waiting, frameDuration: duration, isNearlyFull: false,
                    oldestPushedAt: inFlight > 0 ? .zero : nil, now: duration * step)
                guard case .push(let free) = admission else { continue }
                let count = min(free, waiting)
                inFlight += count
                waiting -= count
                limit.pushReturned(now: duration * step)
            }
        }
    }

    /// A muxer or a look-ahead may keep hundreds of frames, but a downstream that releases none must not fill the memory.
    @Test(arguments: [(1, 3000), (50, 200)])
    func limitOfStuckDownstreamIsBounded(rate: Int, seconds: Int) {
        var stuck = Stuck()
        stuck.play(steps: rate * seconds, of: Duration.seconds(1) / rate)
        #expect((150...2200).contains(stuck.inFlight), "\(stuck.inFlight)")
    }

    /// A stall raises the limit, and the limit falls again if no further stall follows.
    @Test func limitRaisedByStallFallsAgain() {
        var stuck = Stuck()
        let frame = Duration.milliseconds(20)
        stuck.play(steps: 500, of: frame)
        #expect(stuck.limit.limit > 100)
        let stall = frame * 500
        for left in (0..<stuck.inFlight).reversed() {
            stuck.limit.frameReleased(pushedAt: .zero, at: stall, inFlight: left)
        }
        for number in 0..<5000 {
            let now = stall + frame * number
            _ = stuck.limit.admit(
                inFlight: 1, waiting: 1, frameDuration: frame, isNearlyFull: false, oldestPushedAt: now - frame,
                now: now)
            stuck.limit.frameReleased(pushedAt: now - frame, at: now, inFlight: 1)
        }
        #expect(stuck.limit.limit == 2)
    }

    /// A measured limit does not exceed the limit before the overload; the next frame leaves before another frame is
    /// released, so the slow element is never idle.
    @Test func frameLeavesBeforeTheReleaseThatItReplaces() throws {
        var limit = InFlightLimit()
        (limit.bestInterval, limit.limitBefore) = (.milliseconds(45), 2)
        limit.rate.frameReleased(at: .zero)
        limit.limit(to: 2, time: .milliseconds(93), now: .zero)
        #expect(limit.limit == 2)
        let due = try #require(limit.dueBeforeNextRelease(2))
        #expect(due > .milliseconds(22) && due < .milliseconds(45))
    }
}
