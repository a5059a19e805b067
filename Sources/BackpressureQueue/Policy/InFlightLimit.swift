/// Learns how many frames downstream keeps in order to work, when the application does not say.
///
/// By Little's law as many frames are under way as begin during the pipeline's latency; to these come one that a sink
/// keeps to show again and one that is worked on. Look-ahead, muxers and applications keep more without telling, so
/// while nothing is overloaded the limit only grows: when no frame comes back although all are out, it opens for all
/// that wait. When downstream turns out to be slower than the stream, nothing is let out until downstream returns
/// nothing more; what it then still keeps, and the time that the next frames take, give the limit (rate x time). From
/// then on one more is tried when the rate falls, and kept if it helps.
///
/// Times are nanoseconds. Any time that the caller passes may be anything; nothing here traps.
public struct InFlightLimit: Sendable {
    public enum Phase: Sendable, Equatable {
        /// Grows when starved; `triedInterval` is the time between releases before the last growth for a standing queue.
        case open(triedInterval: UInt64?)
        /// Nothing is let out since `since`, until downstream keeps the rest.
        case draining(since: UInt64)
        /// Some frames more than the `kept` ones are timed.
        case measuring(kept: UInt32, since: UInt64, samples: UInt32, longest: UInt64)
        /// Holds; `from` and `count` measure the rate, `triedInterval` is the time between releases before the last growth.
        case limited(from: UInt64, count: UInt32, triedInterval: UInt64?)
    }

    /// The answer for a frame that waits.
    public enum Admission: Sendable, Equatable {
        case push(UInt32)
        /// Ask again when one comes back, or at this time.
        case wait(until: UInt64)
    }

    static let most: UInt32 = 4096
    /// A growth without any release stops here, unless the oldest frame is younger than `patienceForEver`.
    static let mostUnreleased: UInt32 = 500
    static let patienceForEver: UInt64 = 20_000_000_000
    private static let windowFrames: UInt32 = 12
    private static let mostTried: UInt32 = 6
    private static let firstDrainAgain: UInt64 = 5_000_000_000
    private static let lastDrainAgain: UInt64 = 120_000_000_000
    /// Frames may wait so long for the first release without being lost.
    private static let useTime: UInt64 = 20_000_000_000
    private static let firstWait: UInt64 = 400_000_000
    private static let longestWait: UInt64 = 800_000_000

    public private(set) var phase = Phase.open(triedInterval: nil)
    public private(set) var limit: UInt32 = 2
    public private(set) var rate = ReleaseRate()
    /// Frames are late when they come back later than the deadline, so waiting for a release costs more than a growth.
    public var hasDeadline = false
    /// The frames are encoded: a decoder keeps some to put them in order before it gives out the first.
    public var isEncoded = false
    /// As many as are under way when all is well.
    private var expected: UInt32 = 2
    /// Frames that never came back in time: downstream keeps them for good reasons.
    private var expired: UInt32 = 0
    private var floor: UInt32 { min(expected &+ expired, Self.most) }
    /// The most in flight since `usedSince`, while the limit is open.
    private var used: (most: UInt32, since: UInt64) = (0, 0)
    /// When a frame last went out, came back, or the limit grew.
    private var idleSince: UInt64 = 0
    private var limitBefore: UInt32 = 2
    /// What the limit is more than a whole number, while it holds.
    private var part = 0.0
    /// The release interval that downstream is known to be capable of.
    private var bestInterval: UInt64?
    private var trial = GrowthTrial(since: 0)
    private var backOff: UInt64 = 1
    private var drainAgainAt: UInt64 = 0
    private var drainAgainAfter = Self.firstDrainAgain

    public init() {}

    /// So many frames are under way when all is well.
    public mutating func expect(frames: UInt32) {
        expected = min(max(frames, 2), Self.most)
        if isOpen { limit = max(limit, floor) }
    }

    // MARK: The exit

    /// Whether a frame may go out while `inFlight` are out and `waiting` more wait.
    ///
    /// `oldestPushedAt` is when the oldest frame in flight went out.
    public mutating func admit(
        inFlight: UInt32, waiting: UInt32, frameDuration: UInt64, isNearlyFull: Bool, oldestPushedAt: UInt64?,
        now: UInt64
    ) -> Admission {
        if case .draining = phase, inFlight == 0 { endDrain(keeping: 0, now) }
        if isOpen { forgetUnused(inFlight, now) }
        if inFlight < limit { return .push(limit - inFlight) }
        let due = idleSince &+ patience(inFlight, frameDuration)
        if let soon = dueBeforeNextRelease(inFlight) {
            if now >= soon { return .push(1) }
            if soon < due { return .wait(until: soon) }
        }
        guard now >= due || (isOpen && isNearlyFull && isQuiet(frameDuration, now)) else { return .wait(until: due) }
        switch phase {
        case .draining: endDrain(keeping: inFlight, now)
        case .open:
            guard mayGrow(inFlight, oldestPushedAt, now) else {
                idleSince = now
                return .wait(until: now &+ patience(inFlight, frameDuration))
            }
            limit = min(inFlight &+ max(waiting, 1), Self.most)
        case .measuring, .limited:
            limit = min(max(limit, inFlight) &+ 1, Self.most)
            // Twice it may have been a stall, so one more is only tried; the third time downstream needs it.
            phase = .limited(from: now, count: 0, triedInterval: backOff < 4 ? bestInterval : nil)
            backOff = min(backOff * 2, 64)
        }
        idleSince = now
        return inFlight < limit ? .push(limit - inFlight) : .wait(until: now &+ patience(inFlight, frameDuration))
    }

    /// Lets an open limit fall to what was in use, so that a stall does not leave a high one for ever.
    private mutating func forgetUnused(_ inFlight: UInt32, _ now: UInt64) {
        used.most = max(used.most, inFlight &+ 1)
        guard now &- used.since > Self.useTime else { return }
        if used.since != 0, now > used.since { limit = max(min(limit, used.most), floor) }
        used = (0, now)
    }

    /// When one frame more may go out so that it arrives as downstream has time for it.
    ///
    /// rate x time is seldom a whole number: with 2.2 frames the third goes out when a fifth of the time to the next
    /// release is left.
    private func dueBeforeNextRelease(_ inFlight: UInt32) -> UInt64? {
        guard case .limited = phase, inFlight == limit, let last = rate.lastAt, let bestInterval else { return nil }
        return last &+ UInt64(Double(min(bestInterval, Self.patienceForEver)) * (1 - part))
    }

    private var isOpen: Bool { if case .open = phase { true } else { false } }

    /// Whether nothing has come back for so long, and so much is out, that more would be without end.
    public func isStuck(inFlight: UInt32, oldestPushedAt: UInt64?, now: UInt64) -> Bool {
        isOpen && inFlight >= limit && !mayGrow(inFlight, oldestPushedAt, now)
    }

    private func mayGrow(_ inFlight: UInt32, _ oldestPushedAt: UInt64?, _ now: UInt64) -> Bool {
        guard inFlight < Self.most else { return false }
        guard inFlight >= Self.mostUnreleased, let oldestPushedAt else { return true }
        return now &- oldestPushedAt < Self.patienceForEver
    }

    /// Whether no frame has come back for longer than usual.
    private func isQuiet(_ frameDuration: UInt64, _ now: UInt64) -> Bool {
        guard let last = rate.lastAt else { return true }
        return now > last && now - last > leastPatience(frameDuration)
    }

    private func leastPatience(_ frameDuration: UInt64) -> UInt64 {
        let frame = min(max(frameDuration, 1), Self.patienceForEver)
        return max(min(rate.perFrame ?? 0, Self.patienceForEver) * 5 / 2, 2 * frame, 20_000_000)
    }

    /// How long nothing may happen until downstream is taken to need more.
    private func patience(_ inFlight: UInt32, _ frameDuration: UInt64) -> UInt64 {
        let frame = min(max(frameDuration, 1), Self.patienceForEver)
        let interval = min(rate.perFrame ?? 0, Self.patienceForEver)
        switch phase {
        case .draining: return max(min(rate.usualGap ?? frame, Self.patienceForEver) * 5 / 4, frame)
        case .measuring: return max(10 * interval, 1_000_000_000)
        case .limited: return leastPatience(frameDuration) * backOff
        case .open:
            let least = leastPatience(frameDuration)
            if hasDeadline { return least }
            if isEncoded, rate.lastAt == nil { return max(least, 3 * frame) }
            // One release alone says nothing of the next.
            if rate.lastAt != nil, rate.perFrame == nil { return max(least, Self.longestWait) }
            let filling = min(UInt64(min(inFlight, Self.most)) * frame / 2, Self.longestWait)
            return max(least, 3 * frame, Self.firstWait, filling)
        }
    }

    public mutating func pushReturned(now: UInt64) { idleSince = max(idleSince, now) }

    // MARK: Releases

    /// A frame came back that had gone out at `pushedAt`; `inFlight` are still out.
    public mutating func frameReleased(pushedAt: UInt64, at time: UInt64, inFlight: UInt32) {
        rate.frameReleased(at: time)
        idleSince = max(idleSince, time)
        switch phase {
        case .open(let tried): if tried != nil { trial.frameReleased(pushedAt: pushedAt, at: time) }
        case .draining: if inFlight == 0 { endDrain(keeping: 0, time) }
        case .measuring(let kept, let since, var samples, var longest):
            guard pushedAt >= since, time >= pushedAt else { return }
            samples += 1
            longest = max(longest, time - pushedAt)
            guard samples >= 2 else {
                phase = .measuring(kept: kept, since: since, samples: samples, longest: longest)
                return
            }
            limit(to: kept, time: longest, now: time)
        case .limited(let from, let count, let tried):
            guard count + 1 >= Self.windowFrames else {
                phase = .limited(from: from, count: count + 1, triedInterval: tried)
                return
            }
            rateMeasured(time > from ? (time - from) / UInt64(Self.windowFrames) : 0, tried, time)
        }
    }

    /// rate x time, but no less than what downstream keeps and one more.
    private mutating func limit(to kept: UInt32, time: UInt64, now: UInt64) {
        let interval = min(max(bestInterval ?? 1, 1), Self.patienceForEver)
        // A tenth for what varies.
        let needed = min(Double(time) / Double(interval) + 0.1, Double(max(limitBefore, kept, 2)))
        limit = max(UInt32(needed), kept)
        part = max(0, needed - Double(limit))
        backOff = 1
        phase = .limited(from: now, count: 0, triedInterval: nil)
        drainAgainAt = now &+ drainAgainAfter
        drainAgainAfter = min(drainAgainAfter * 2, Self.lastDrainAgain)
    }

    /// The mean interval of a window of releases while frames waited all the time.
    private mutating func rateMeasured(_ interval: UInt64, _ tried: UInt64?, _ now: UInt64) {
        let best = bestInterval ?? interval
        var next: UInt64?
        if let tried {
            // One more frame out must have helped by 7 %.
            if Double(interval) < 0.93 * Double(tried) {
                bestInterval = min(best, interval)
                // It may have been chance: ask soon again what is needed.
                drainAgainAt = min(drainAgainAt, now &+ Self.firstDrainAgain)
            } else {
                limit = max(limit - 1, 1)
                bestInterval = interval
            }
        } else if Double(interval) > 1.2 * Double(best), limit < Self.most {
            next = interval
            limit += 1
        } else {
            // Follows what downstream can do by and by.
            bestInterval = interval > best ? best + ((interval - best) / 8) : best - ((best - interval) / 8)
        }
        phase = .limited(from: now, count: 0, triedInterval: next)
        if next == nil, now >= drainAgainAt { beginDrain(now) }
    }

    // MARK: Overload

    /// Frames wait although frames come back: true if more frames out have not helped, so that it is an overload.
    ///
    /// `interval` is the mean time between releases meanwhile, nil if none came back.
    public mutating func queueStands(inFlight: UInt32, waiting: UInt32, interval: UInt64?, now: UInt64) -> Bool {
        guard case .open(let tried) = phase else { return true }
        // The limit has just grown: the frames waited for that.
        guard inFlight &+ 1 >= limit else { return false }
        guard let interval else {
            // Downstream is starved rather than slow.
            limit = min(max(limit, inFlight) &+ max(waiting, 1), Self.most)
            return false
        }
        // The limit has grown by starvation already, so a trial would tell nothing new: downstream is slow.
        guard limit < floor &+ Self.mostTried else {
            bestInterval = min(interval, bestInterval ?? interval)
            return true
        }
        if let tried {
            guard let measured = trial.interval(limit) else { return false }
            guard Double(measured) < 0.9 * Double(tried) else {
                bestInterval = min(measured, tried)
                return true
            }
            phase = .open(triedInterval: measured)
        } else {
            phase = .open(triedInterval: interval)
        }
        trial = GrowthTrial(since: now)
        limit = min(max(limit, inFlight) &+ max(limit / 2, 1), Self.most)
        return false
    }

    /// Whether it is known what the frames let out last for a trial have brought.
    public var knowsTrial: Bool {
        if case .open(.some) = phase { trial.interval(limit) != nil } else { false }
    }

    /// Downstream is slower than the stream.
    public mutating func overloadBegan(now: UInt64) {
        backOff = 1
        drainAgainAfter = Self.firstDrainAgain
        if bestInterval == nil { bestInterval = rate.perFrame }
        beginDrain(now)
    }

    /// Downstream keeps up again.
    ///
    /// What downstream is capable of stays known: when frames wait again, no more are tried in vain.
    public mutating func overloadEnded(now: UInt64) {
        phase = .open(triedInterval: bestInterval)
        trial = GrowthTrial(since: now)
        limit = max(limit, floor)
    }

    private mutating func beginDrain(_ now: UInt64) {
        limitBefore = max(limit, 2)
        limit = 0
        idleSince = max(idleSince, now)
        phase = .draining(since: now)
    }

    private mutating func endDrain(keeping inFlight: UInt32, _ now: UInt64) {
        limit = min(inFlight, Self.most - 1) + 1
        phase = .measuring(kept: limit, since: now, samples: 0, longest: 0)
    }

    /// The oldest frame did not come back in time: downstream keeps one more than was thought, for good.
    public mutating func frameExpired() {
        expired = min(expired + 1, Self.most)
        if isOpen { limit = max(limit, floor) }
    }

    /// All that was in flight is forgotten.
    public mutating func flushed() {
        if case .draining = phase { endDrain(keeping: 0, idleSince) }
    }

    /// A frame came back while others waited for credit.
    public mutating func releasedWhileWaiting() { if isOpen, limit > floor { limit -= 1 } }

    /// A frame went out without waiting for credit: what is measured until now says nothing of downstream's rate.
    public mutating func frameLeftAtOnce(now: UInt64) {
        if case .limited(_, _, let tried) = phase { phase = .limited(from: now, count: 0, triedInterval: tried) }
    }

    /// A new stream begins.
    public mutating func reset() { self = Self() }
}
