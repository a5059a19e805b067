import Durations

/// Detects whether the delay of late frames keeps growing.
///
/// Upstream of a sink that waits for the clock, the delay rises once, to the waiting time of the sink, and remains
/// constant. Upstream of a consumer slower than the stream, it rises in each window; if the consumer is only slightly
/// slower, it rises over seconds.
struct DelayGrowth: Sendable {
    /// Span over which delays are compared.
    private static let memory = Duration.seconds(3)

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
    /// After two spans it also returns true if the delay exceeds the smallest delay of the previous span by a frame,
    /// and by at least 20 ms.
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
