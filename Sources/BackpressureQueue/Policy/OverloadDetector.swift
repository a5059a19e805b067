/// Tells a queue that only absorbs a burst from one that stands since downstream is slower than the stream.
///
/// As CoDel (RFC 8289) it looks at the delay of the frames that leave, never at how many wait: a delay that lasts for
/// an interval is a standing queue. Unlike CoDel it lets a backlog be that shrinks fast enough to be gone soon, such as
/// the one that a stall of downstream leaves behind.
public struct OverloadDetector: Sendable {
    /// The state while frames leave; times are nanoseconds.
    public enum State: Sendable, Equatable {
        /// The last frame had no delay worth mentioning.
        case clear
        /// Frames leave late since `since`; the longest delay was `peak`, at `peakAt`.
        case late(since: UInt64, exits: UInt32, peak: UInt64, peakAt: UInt64)
        /// Downstream is slower than the stream; a frame was dropped for that reason at `droppedAt`.
        case overloaded(droppedAt: UInt64)
    }

    /// A delay that lasts so long, and for `leastExits` frames, is looked at.
    public static let interval: UInt64 = 200_000_000
    static let leastExits: UInt32 = 4
    /// The same where a wrong guess costs nothing: one more frame is let out.
    static let shortInterval: UInt64 = 120_000_000
    /// A backlog that would be gone within this time at its present rate is no overload.
    static let drainTime: UInt64 = 3_000_000_000
    /// So long without a drop ends an overload; doubled whenever it returns soon after.
    static let calm: UInt64 = 4_000_000_000
    static let longestCalm: UInt64 = 64_000_000_000

    public private(set) var state = State.clear
    private var calmNeeded = Self.calm
    private var growth = DelayGrowth()
    private var endedAt: UInt64?

    public init() {}

    public var isOverloaded: Bool {
        if case .overloaded = state { true } else { false }
    }

    /// A frame leaves that was delayed by `delay`; true if the delay stands and is not shrinking.
    ///
    /// `mustGrow`: the delay must go on growing besides. Where the push takes the time, it may be a sink that
    /// waits, in front of which the delay is long and stays as it is.
    ///
    /// The caller decides whether that is an overload, and calls `overloadBegan` if so.
    public mutating func frameLeft(
        delay: UInt64, normal: UInt64, frameDuration: UInt64, isOutOfCredit: Bool, mustGrow: Bool, now: UInt64
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
            let elapsed = now > since ? now - since : 0
            let interval = isOutOfCredit ? Self.shortInterval : Self.interval
            let leastExits = isOutOfCredit ? Self.leastExits - 1 : Self.leastExits
            guard elapsed >= max(interval, 3 * min(frameDuration, Self.drainTime)), exits + 1 >= leastExits
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

    /// Whether a delay that has fallen so far in that time would be gone within `drainTime`.
    private static func isDraining(from peak: UInt64, to delay: UInt64, within time: UInt64) -> Bool {
        guard time > 0 else { return false }
        return Double(peak - delay) >= Double(peak) * Double(time) / Double(drainTime)
    }

    public mutating func overloadBegan(now: UInt64) {
        let isBack = endedAt.map { now &- $0 < 10_000_000_000 } ?? false
        calmNeeded = isBack ? min(calmNeeded * 2, Self.longestCalm) : Self.calm
        state = .overloaded(droppedAt: now)
    }

    public mutating func frameDropped(now: UInt64) {
        if isOverloaded { state = .overloaded(droppedAt: now) }
    }

    /// Ends an overload in which nothing had to be dropped for long enough; true if it does.
    public mutating func overloadEnded(now: UInt64) -> Bool {
        guard case .overloaded(let droppedAt) = state, now > droppedAt, now - droppedAt > calmNeeded else {
            return false
        }
        state = .clear
        endedAt = now
        return true
    }

    /// Frames waited for another reason: what was measured does not count.
    public mutating func forgetDelay() { if !isOverloaded { state = .clear } }

    public mutating func reset() { self = Self() }
}
