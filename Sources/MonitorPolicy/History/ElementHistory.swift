import Durations

/// Twelve short windows of an element (1 min by default), from counts read once a second.
///
/// A window is the sum of the differences between readings, so the recorder requires no windows. Call `tick`, which
/// allocates memory, on one thread that is not a streaming thread.
public struct ElementHistory: Sendable {
    /// Length of the short window: 5 s, or `Target.window`.
    public let shortWindow: Duration
    private let spacing: Duration
    private let started: Duration
    private var time: Duration
    /// The counts of the last reading.
    public private(set) var counts: ElementCounts
    /// Differences between readings; `frames` is stored apart, because a first source pad changes its meaning.
    private var ticks: [(start: Duration, end: Duration, frames: UInt64, counts: ElementCounts)] = []
    // Twelve short windows of five ticks each.
    private static let limit = 60

    /// Creates an empty history of twelve short windows that begins at `now`.
    ///
    /// `counts` are the counts at `now`: all 0 if the record of the element is new.
    public init(shortWindow: Duration = .seconds(5), counts: ElementCounts = ElementCounts(), now: Duration) {
        self.shortWindow = max(shortWindow, .nanoseconds(5))
        self.counts = counts
        spacing = self.shortWindow / 5
        started = now
        time = now
    }

    /// Adds the counts at `now`.
    ///
    /// A reading that is not newer than the previous one is ignored. A reading that is less than `shortestTick` newer
    /// is ignored unless it is the last one (`isLast`).
    public mutating func tick(_ counts: ElementCounts, now: Duration, isLast: Bool = false) {
        guard now > time, isLast || now - time >= Self.shortestTick(spacing) else { return }
        if ticks.count == Self.limit { ticks.removeFirst() }
        var rise = counts - self.counts
        rise.quiet = min(rise.quiet, now - time)
        ticks.append((time, now, counts.frames - min(counts.frames, self.counts.frames), rise))
        self.counts = counts
        time = now
    }

    /// Figures of the last `length`, rounded to ticks; of the whole history if it is shorter.
    public func figures(last length: Duration) -> WindowFigures {
        let start = max((ticks.last?.end ?? .zero) - length, .zero)
        let chosen = ticks.filter { $0.start + (spacing / 2) >= start }
        var sum = ElementCounts.sum(chosen.map { $0.counts })
        // Drops that were known at earlier ticks may be unknown now.
        if counts.dropped == nil { sum.dropped = nil }
        return WindowFigures(
            length: chosen.reduce(Duration.zero) { $0 + ($1.end - $1.start) },
            frames: chosen.reduce(0) { $0 &+ $1.frames }, counts: sum, measuresOwn: counts.own > .zero)
    }

    /// Figures since the beginning of the history; frames and latencies count from the creation of the record.
    public var figuresSinceStart: WindowFigures {
        var counts = counts
        counts.quiet = min(counts.quiet, time - started)
        return WindowFigures(
            length: time - started, frames: counts.frames, counts: counts, measuresOwn: counts.own > .zero)
    }

    /// Shortest time between two ticks: `spacing` less a tenth, at most 0.1 s, because timers are not exact.
    static func shortestTick(_ spacing: Duration) -> Duration { spacing - min(spacing / 10, .milliseconds(100)) }
}
