import Durations

/// Learns the number of frames in flight that downstream requires, if the application sets no limit.
///
/// By Little's law (L = λW, frames = rate x time) the pipeline holds the frames that start during its latency, plus the
/// last sample of a sink and the frame being processed. Encoders with look-ahead, muxers and applications hold more
/// frames without reporting them. If all permitted frames are in flight and none is released, the limit is therefore
/// raised for all frames that wait. A limit that is not used falls again.
///
/// In an overload the limit is measured. No frame is pushed until releases stop. Downstream keeps the frames that are
/// then still in flight. Their number and the transit time of the next frames give the limit (rate x time). Later, if
/// the rate falls, the limit is raised by one frame. It stays raised if the rate then recovers.
///
/// All functions accept any time and never trap.
public struct InFlightLimit: Sendable {
    /// Method by which the limit is determined.
    public enum Phase: Sendable, Equatable {
        /// The limit grows if downstream requires more frames before it releases one.
        ///
        /// `triedInterval` is an earlier measured time between releases, for comparison; nil if there is none.
        case open(triedInterval: Duration?)
        /// No frame is pushed, from `since` until releases stop.
        case draining(since: Duration)
        /// The transit time is measured with `kept` frames in flight: those that downstream keeps, plus one.
        case measuring(kept: UInt32, since: Duration, samples: UInt32, longest: Duration)
        /// The limit was measured; it changes by one frame at a time.
        ///
        /// `count` releases came after `from`. `triedInterval` is the time between releases before the last increase.
        case limited(from: Duration, count: UInt32, triedInterval: Duration?)
    }

    /// Decision for a frame that waits.
    public enum Admission: Sendable, Equatable {
        /// At most this many frames may be pushed.
        case push(UInt32)
        /// Call `admit` again after the next release, or at this time.
        case wait(until: Duration)
    }

    /// Maximum limit, in frames.
    static let most: UInt32 = 4096
    /// With this number of frames in flight or more, the limit grows only if the oldest of them was pushed less than
    /// `longestPatience` ago, so that a downstream that releases nothing does not collect frames without end.
    static let mostUnreleased: UInt32 = 500
    /// Upper bound of a time between releases, and period over which the use of the limit is measured.
    static let longestPatience = Duration.seconds(20)
    /// Number of releases over which the rate under a measured limit is determined.
    static let windowFrames: UInt32 = 12
    /// If a delay persists with a limit this many frames above `floor`, downstream counts as slow.
    static let mostTried: UInt32 = 6
    /// Time until the limit is measured again; doubled after each measurement, up to `lastDrainAgain`.
    static let firstDrainAgain = Duration.seconds(5)
    /// Longest time until the limit is measured again: 2 min.
    static let lastDrainAgain = firstDrainAgain * 24
    /// Time without a release before the limit grows, if the stream has no deadline.
    static let firstWait = Duration.milliseconds(400)
    /// Longest time without a release before the limit grows, with many frames in flight or an unknown rate.
    static let longestWait = Duration.milliseconds(800)

    /// Method by which the limit is determined at present.
    public internal(set) var phase = Phase.open(triedInterval: nil)
    /// Present limit, in frames; 0 in the phase `draining`.
    public internal(set) var limit: UInt32 = 2
    /// Times between releases.
    public internal(set) var rate = ReleaseRate()
    /// Whether the stream has a deadline, so that frames that wait become late and the limit must grow sooner.
    public var hasDeadline = false
    /// Whether frames are encoded, so that a decoder keeps several of them for reordering before its first output.
    var isEncoded = false
    /// Number of frames in flight while all frames are in time.
    var expected: UInt32 = 2
    /// Number of expired frames, which downstream keeps permanently.
    var expired: UInt32 = 0
    /// Lower bound of the limit in the phase `open`, in frames.
    var floor: UInt32 { min(expected &+ expired, Self.most) }
    /// Largest number of frames in flight since `since`, plus one, in the phase `open`.
    var used: (most: UInt32, since: Duration) = (0, .zero)
    /// Time of the last push, of the last release or of the last growth of the limit, whichever was later.
    var idleSince = Duration.zero
    /// Limit before the phase `draining` began.
    var limitBefore: UInt32 = 2
    /// Fraction of a frame by which rate x time exceeds a measured `limit`.
    var fraction = 0.0
    /// Shortest measured time between releases that downstream sustains.
    var bestInterval: Duration?
    var trial = GrowthTrial(since: .zero)
    /// Factor by which the wait before the next growth is longer than usual, 1 to 64.
    var backOff = 1
    var drainAgainAt = Duration.zero
    var drainAgainAfter = Self.firstDrainAgain

    public init() {}

    /// Sets the number of frames in flight while all frames are in time.
    public mutating func expect(frames: UInt32) {
        expected = min(max(frames, 2), Self.most)
        if isOpen { limit = max(limit, floor) }
    }

    // MARK: Exit

    /// Decides whether a frame may be pushed while `inFlight` frames are in flight and `waiting` frames wait.
    ///
    /// `oldestPushedAt` is the time at which the oldest frame in flight was pushed.
    public mutating func admit(
        inFlight: UInt32, waiting: UInt32, frameDuration: Duration, isNearlyFull: Bool, oldestPushedAt: Duration?,
        now: Duration
    ) -> Admission {
        if case .draining = phase, inFlight == 0 { endDrain(keeping: 0, now) }
        if isOpen { forgetUnused(inFlight, now) }
        if inFlight < limit { return .push(limit - inFlight) }
        let due = idleSince + patience(inFlight, frameDuration)
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
                return .wait(until: now + patience(inFlight, frameDuration))
            }
            limit = min(inFlight &+ max(waiting, 1), Self.most)
        case .measuring, .limited:
            limit = min(max(limit, inFlight) &+ 1, Self.most)
            // A stall may have caused the first two increases, so they are trials. The third one stays, because
            // downstream requires it.
            phase = .limited(from: now, count: 0, triedInterval: backOff < 4 ? bestInterval : nil)
            backOff = min(backOff * 2, 64)
        }
        idleSince = now
        return inFlight < limit ? .push(limit - inFlight) : .wait(until: now + patience(inFlight, frameDuration))
    }

    /// Lowers the limit to the number of frames in use, so that a stall does not raise the limit permanently.
    mutating func forgetUnused(_ inFlight: UInt32, _ now: Duration) {
        used.most = max(used.most, inFlight &+ 1)
        guard now - used.since > Self.longestPatience else { return }
        if used.since != .zero { limit = max(min(limit, used.most), floor) }
        used = (0, now)
    }

    /// Time at which one extra frame may be pushed so that it arrives when downstream is free.
    ///
    /// Rate x time is seldom an integer. With 2.2 frames, the third frame is pushed when a fifth of the time until the
    /// next release remains.
    func dueBeforeNextRelease(_ inFlight: UInt32) -> Duration? {
        guard case .limited = phase, inFlight == limit, let last = rate.lastAt, let bestInterval else { return nil }
        return last + min(bestInterval, Self.longestPatience) * (1 - fraction)
    }

    var isOpen: Bool { if case .open = phase { true } else { false } }

    /// Whether the limit is reached and must not grow, because too many frames have been in flight for too long.
    func isStuck(inFlight: UInt32, oldestPushedAt: Duration?, now: Duration) -> Bool {
        isOpen && inFlight >= limit && !mayGrow(inFlight, oldestPushedAt, now)
    }

    func mayGrow(_ inFlight: UInt32, _ oldestPushedAt: Duration?, _ now: Duration) -> Bool {
        guard inFlight < Self.most else { return false }
        guard inFlight >= Self.mostUnreleased, let oldestPushedAt else { return true }
        return now - oldestPushedAt < Self.longestPatience
    }

    func isQuiet(_ frameDuration: Duration, _ now: Duration) -> Bool {
        guard let last = rate.lastAt else { return true }
        return now - last > leastPatience(frameDuration)
    }

    func leastPatience(_ frameDuration: Duration) -> Duration {
        let frame = min(frameDuration, Self.longestPatience)
        let interval = min(rate.perFrame ?? .zero, Self.longestPatience)
        return max(max(interval * 5 / 2, frame * 2), .milliseconds(20))
    }

    /// Time without a push or a release after which the limit grows, or the phase `draining` ends.
    func patience(_ inFlight: UInt32, _ frameDuration: Duration) -> Duration {
        let frame = min(frameDuration, Self.longestPatience)
        switch phase {
        case .draining: return max((rate.usualGap ?? Self.firstWait) * 5 / 4, frame)
        case .measuring: return max(min(rate.perFrame ?? .zero, Self.longestPatience) * 10, .seconds(1))
        case .limited: return leastPatience(frameDuration) * backOff
        case .open:
            let least = leastPatience(frameDuration)
            if hasDeadline { return least }
            if isEncoded, rate.lastAt == nil { return max(least, frame * 3) }
            // A single release does not give a rate.
            if rate.lastAt != nil, rate.perFrame == nil { return max(least, Self.longestWait) }
            let filling = min(frame * Int(min(inFlight, Self.most)) / 2, Self.longestWait)
            return max(max(least, frame * 3), max(Self.firstWait, filling))
        }
    }

    /// A push returned; the wait for a release starts again.
    public mutating func pushReturned(now: Duration) { idleSince = max(idleSince, now) }
}

/// Rate at which downstream releases frames.
///
/// Frames released together, such as the packets of a group of pictures, form one event with several frames.
public struct ReleaseRate: Sendable {
    /// Releases within this time form one event.
    static let together = Duration.milliseconds(1)
    private static let size = 8

    private struct Event: Sendable {
        var time = Duration.zero
        var frames: UInt32 = 0
    }

    // Fixed size, because the streaming thread must not allocate.
    private var events = InlineArray<8, Event>(repeating: Event())
    private var count = 0
    private var next = 0
    /// Time of the last event.
    private(set) var lastAt: Duration?
    /// Usual time between two events, at most `InFlightLimit.longestPatience`.
    ///
    /// The value rises to a longer gap at once, but by only 10 % if it is four times as long or more. It falls by at
    /// most 3 % per event.
    private(set) var usualGap: Duration?

    public init() {}

    /// Records a release; times may be slightly out of order, because releasing threads race.
    public mutating func frameReleased(at time: Duration) {
        guard let last = lastAt else {
            append(time)
            return
        }
        guard time - last >= Self.together else {
            events[(next + Self.size - 1) % Self.size].frames &+= 1
            return
        }
        let gap = min(time - last, InFlightLimit.longestPatience)
        if let usual = usualGap {
            // A single long stall is not the usual gap.
            let risen = gap < usual * 4 ? gap : usual + (usual / 10)
            usualGap = max(risen, usual - (usual / 32))
        } else {
            usualGap = gap
        }
        append(time)
    }

    /// Mean time between two frames; nil until two events are recorded.
    var perFrame: Duration? {
        guard count >= 2 else { return nil }
        var frames = 0
        var (first, last) = (Duration.zero, Duration.zero)
        for index in 0..<count {
            let event = events[(next + Self.size - count + index) % Self.size]
            if index == 0 { first = event.time } else { frames += Int(event.frames) }
            last = event.time
        }
        return last > first ? (last - first) / max(frames, 1) : nil
    }

    private mutating func append(_ time: Duration) {
        events[next] = Event(time: time, frames: 1)
        next = (next + 1) % Self.size
        count = min(count + 1, Self.size)
        lastAt = time
    }
}
