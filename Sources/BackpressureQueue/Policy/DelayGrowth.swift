/// Whether the delay of frames that leave late goes on growing.
///
/// In front of a sink that waits the delay rises once, to what the sink waits for, and stays. In front of a consumer
/// that is slower than the stream it rises in each window, or, if that is little slower, over seconds.
struct DelayGrowth: Sendable {
    /// Delays are compared over this time, in nanoseconds.
    private static let memory: UInt64 = 3_000_000_000

    private let since: UInt64
    private var windowFrom: (delay: UInt64, at: UInt64)
    private var growingWindows = 0
    /// The least delay of the present `memory`, and of the one before.
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

    /// True after two windows in which the delay grew by a sixteenth of the time, or if it grew by a frame in seconds.
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
