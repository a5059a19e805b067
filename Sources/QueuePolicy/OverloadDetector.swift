import Durations

/// Distinguishes a burst from a standing queue, which shows that downstream is slower than the stream.
///
/// As in CoDel (RFC 8289), the input is the delay of the frames that leave, not the number of frames that wait. A delay
/// that lasts for an interval shows a standing queue. Unlike CoDel, the detector tolerates a backlog that drains fast,
/// such as after a stall of downstream.
public struct OverloadDetector: Sendable {
    /// State while frames leave.
    public enum State: Sendable, Equatable {
        /// The delay of the last frame was normal.
        case clear
        /// Since `since`, frames are late and `exits` frames have left; the longest delay was `peak`, at `peakAt`.
        case late(since: Duration, exits: UInt32, peak: Duration, peakAt: Duration)
        /// Downstream is slower than the stream; `droppedAt` is the start of the overload or the last drop in it.
        case overloaded(droppedAt: Duration)
    }

    /// Time that a delay must last, over at least `leastExits` frames, before it is evaluated.
    public static let interval = Duration.milliseconds(200)
    /// Number of frames that must leave before a delay is evaluated.
    static let leastExits: UInt32 = 4
    /// Interval while the exit waits for credit; it is shorter, because a wrong decision then only raises the limit.
    static let shortInterval = Duration.milliseconds(120)
    /// Maximum drain time of a backlog that is not an overload.
    static let drainTime = Duration.seconds(3)
    /// Time without a drop that ends an overload; it doubles if the overload returns within 10 s.
    static let calm = Duration.seconds(4)
    /// Longest time without a drop that ends an overload, after repeated overloads.
    static let longestCalm = calm * 16

    /// State after the last frame.
    public private(set) var state = State.clear
    private var calmNeeded = Self.calm
    private var growth = DelayGrowth()
    private var endedAt: Duration?

    public init() {}

    /// Whether downstream is slower than the stream.
    public var isOverloaded: Bool {
        if case .overloaded = state { true } else { false }
    }

    /// Records a frame that leaves after `delay`; returns true if the delay persists and the backlog does not drain.
    ///
    /// With `mustGrow`, the delay must also grow: upstream of a sink that waits for the clock, the delay is long but
    /// constant. The caller decides whether the delay is an overload, and then calls `overloadBegan`.
    public mutating func frameLeft(
        delay: Duration, normal: Duration, frameDuration: Duration, isOutOfCredit: Bool, mustGrow: Bool, now: Duration
    ) -> Bool {
        switch state {
        case .overloaded: return false
        case .clear:
            if delay > normal {
                state = .late(since: now, exits: 1, peak: delay, peakAt: now)
                growth = DelayGrowth(delay, now: now)
            }
            return false
        case .late(let since, let exits, var peak, var peakAt):
            guard delay > normal else {
                state = .clear
                return false
            }
            if delay >= peak { (peak, peakAt) = (delay, now) }
            growth.frameLeft(delay, now: now)
            let elapsed = max(now - since, .zero)
            let interval = isOutOfCredit ? Self.shortInterval : Self.interval
            let leastExits = isOutOfCredit ? Self.leastExits - 1 : Self.leastExits
            guard elapsed >= max(interval, min(frameDuration, Self.drainTime) * 3), exits + 1 >= leastExits
            else {
                state = .late(since: since, exits: exits &+ 1, peak: peak, peakAt: peakAt)
                return false
            }
            state = .late(since: now, exits: 0, peak: delay, peakAt: now)
            let isGrowing = growth.windowEnded(delay, frameDuration: frameDuration, now: now)
            guard isGrowing || !mustGrow else { return false }
            return !Self.isDraining(from: peak, to: delay, within: now - peakAt)
        }
    }

    /// Whether a delay that fell from `peak` to `delay` within `time` reaches 0 within `drainTime` of the peak.
    private static func isDraining(from peak: Duration, to delay: Duration, within time: Duration) -> Bool {
        guard time > .zero else { return false }
        return (peak - delay).inSeconds >= peak.inSeconds * time.inSeconds / drainTime.inSeconds
    }

    /// An overload begins.
    public mutating func overloadBegan(now: Duration) {
        let isBack = endedAt.map { now - $0 < .seconds(10) } ?? false
        calmNeeded = isBack ? min(calmNeeded * 2, Self.longestCalm) : Self.calm
        state = .overloaded(droppedAt: now)
    }

    /// A frame was dropped, at the entrance or in the queue.
    ///
    /// A drop in the queue shortens the next delay, so a shorter delay then does not show that the backlog drains.
    public mutating func frameDropped(inQueue: Bool, now: Duration) {
        switch state {
        case .late(let since, let exits, _, _) where inQueue:
            state = .late(since: since, exits: exits, peak: .zero, peakAt: now)
        case .clear, .late: break
        case .overloaded: state = .overloaded(droppedAt: now)
        }
    }

    /// Ends the overload if no frame was dropped for the required time; returns true if the overload ended.
    public mutating func overloadEnded(now: Duration) -> Bool {
        guard case .overloaded(let droppedAt) = state, now - droppedAt > calmNeeded else {
            return false
        }
        state = .clear
        endedAt = now
        return true
    }

    /// Frames waited for a reason other than a slow downstream, so the measured delay is discarded.
    mutating func forgetDelay() { if !isOverloaded { state = .clear } }

    /// Returns to the initial state, for a new stream.
    public mutating func reset() { self = Self() }
}

/// Detects whether the delay of late frames keeps growing.
///
/// Upstream of a sink that waits for the clock, the delay rises once to the waiting time of the sink and remains
/// constant. Upstream of a slow consumer, the delay rises in each window, or over seconds if it is slightly slow.
struct DelayGrowth: Sendable {
    /// Duration of the spans whose smallest delays are compared.
    private static let memory = OverloadDetector.drainTime

    private let since: Duration
    private var windowFrom: (delay: Duration, at: Duration)
    private var growingWindows = 0
    /// Smallest delay of the current span and of the span before it.
    private var least: (now: Duration, before: Duration, since: Duration)

    init(_ delay: Duration = .zero, now: Duration = .zero) {
        since = now
        windowFrom = (delay, now)
        least = (delay, delay, now)
    }

    mutating func frameLeft(_ delay: Duration, now: Duration) {
        if now - least.since > Self.memory { least = (delay, least.now, now) }
        least.now = min(least.now, delay)
    }

    /// Returns true if the delay grew in two consecutive windows by more than 1/16 of the elapsed time.
    ///
    /// It also returns true after two spans if the delay exceeds the smallest delay of the previous span by a frame
    /// duration, and by at least 20 ms.
    mutating func windowEnded(_ delay: Duration, frameDuration: Duration, now: Duration) -> Bool {
        let elapsed = max(now - windowFrom.at, .zero)
        let hasGrown = delay > windowFrom.delay && delay - windowFrom.delay > elapsed / 16
        growingWindows = hasGrown ? growingWindows + 1 : 0
        windowFrom = (delay, now)
        if growingWindows >= 2 { return true }
        guard now - since > Self.memory * 2 else { return false }
        return delay - least.before >= max(min(frameDuration, Self.memory), .milliseconds(20))
    }
}
