/// Detects whether the delay of late frames keeps growing.
///
/// In front of a sink that waits for the clock the delay rises once, to the time the sink waits, and stays there. In
/// front of a consumer slower than the stream it rises in each window, or over seconds if the consumer is only slightly
/// slower.
struct DelayGrowth: Sendable {
    /// Span over which delays are compared, in nanoseconds.
    private static let memory: UInt64 = 3_000_000_000

    private let since: UInt64
    private var windowFrom: (delay: UInt64, at: UInt64)
    private var growingWindows = 0
    /// Smallest delay of the current span and of the span before it, in nanoseconds.
    private var least: (now: UInt64, before: UInt64, since: UInt64)

    init(_ delay: UInt64 = 0, now: UInt64 = 0) {
        since = now
        windowFrom = (delay, now)
        least = (delay, delay, now)
    }

    mutating func frameLeft(_ delay: UInt64, now: UInt64) {
        if now &- least.since > Self.memory { least = (delay, least.now, now) }
        least.now = min(least.now, delay)
    }

    /// Returns true if the delay grew in two consecutive windows by more than 1/16 of the elapsed time.
    ///
    /// After two spans it also returns true if the delay exceeds the smallest delay of the previous span by a frame,
    /// and by at least 20 ms.
    mutating func windowEnded(_ delay: UInt64, frameDuration: UInt64, now: UInt64) -> Bool {
        let elapsed = now > windowFrom.at ? now - windowFrom.at : 0
        let hasGrown = delay > windowFrom.delay && delay - windowFrom.delay > elapsed / 16
        growingWindows = hasGrown ? growingWindows + 1 : 0
        windowFrom = (delay, now)
        if growingWindows >= 2 { return true }
        guard now &- since > 2 * Self.memory else { return false }
        return delay - min(delay, least.before) >= max(min(frameDuration, Self.memory), 20_000_000)
    }
}
