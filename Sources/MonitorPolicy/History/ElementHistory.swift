import Durations

/// Twelve short windows of an element (1 min by default), from counts read once a second.
///
/// A window is the sum of the differences between readings, so the recorder requires no windows. One thread calls
/// `tick`, which allocates memory; it must not be a streaming thread.
public struct ElementHistory: Sendable {
    /// Length of the short window: 5 s unless an element is slower (see `Target.window`).
    public let shortWindow: Duration
    private let spacing: Duration
    private let started: Duration
    private var time: Duration
    /// The counts of the last reading.
    public private(set) var counts: ElementCounts
    private var ticks: [Tick] = []
    // Twelve short windows of five ticks each.
    private static let limit = 60

    private struct Tick: Sendable {
        var start: Duration
        var end: Duration
        var framesIn: UInt64
        var framesOut: UInt64
        var frames: UInt64
        var dropped: UInt64
        var blocked: Duration
        var own: Duration
        var held: UInt64
        var quiet: Duration
        var transit: SparseLatencies
        var age: SparseLatencies
    }

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
    /// Ignores a reading from the past, and one less than a fifth of the short window after the last one. The last
    /// reading (`isLast`) may follow sooner.
    public mutating func tick(_ counts: ElementCounts, now: Duration, isLast: Bool = false) {
        guard now > time, isLast || now - time >= Self.shortestTick(spacing) else { return }
        if ticks.count == Self.limit { ticks.removeFirst() }
        ticks.append(Self.difference(self.counts, time, counts, now))
        self.counts = counts
        time = now
    }

    /// Begins new windows with the counts at `now`, after a restart of the pipeline; counts since the start remain.
    public mutating func restart(_ counts: ElementCounts, now: Duration) {
        ticks = []
        self.counts = counts
        time = max(time, now)
    }

    /// Figures of the last `length`, rounded to ticks; of the whole history if it is shorter.
    public func figures(last length: Duration) -> WindowFigures {
        var figures = WindowFigures()
        guard let end = ticks.last?.end else { return figures }
        let start = max(end - length, .zero)
        for tick in ticks where tick.start + (spacing / 2) >= start { add(tick, to: &figures) }
        return figures
    }

    /// Figures since the beginning of the history; frames and latencies count from the creation of the record.
    public var figuresSinceStart: WindowFigures {
        var figures = WindowFigures()
        figures.length = time - started
        figures.quiet = min(counts.quiet, time - started)
        (figures.framesIn, figures.framesOut, figures.frames) = (counts.framesIn, counts.framesOut, counts.frames)
        (figures.dropped, figures.blocked, figures.held) = (counts.dropped, counts.blocked, counts.held)
        figures.own = counts.own > .zero ? counts.own : nil
        (figures.transit, figures.age) = (counts.transit, counts.age)
        return figures
    }

    /// Shortest time between two ticks: `spacing` less a tenth, at most 0.1 s, because timers are not exact.
    static func shortestTick(_ spacing: Duration) -> Duration { spacing - min(spacing / 10, .milliseconds(100)) }

    private func add(_ tick: Tick, to figures: inout WindowFigures) {
        figures.length += tick.end - tick.start
        figures.quiet += tick.quiet
        figures.framesIn &+= tick.framesIn
        figures.framesOut &+= tick.framesOut
        figures.frames &+= tick.frames
        if counts.dropped != nil { figures.dropped = (figures.dropped ?? 0) &+ tick.dropped }
        figures.blocked += tick.blocked
        figures.held &+= tick.held
        if counts.own > .zero { figures.own = (figures.own ?? .zero) + tick.own }
        tick.transit.add(to: &figures.transit)
        tick.age.add(to: &figures.age)
    }

    private static func difference(
        _ before: ElementCounts, _ start: Duration, _ after: ElementCounts, _ end: Duration
    ) -> Tick {
        func rise(_ path: KeyPath<ElementCounts, UInt64>) -> UInt64 {
            let (old, new) = (before[keyPath: path], after[keyPath: path])
            return new > old ? new - old : 0
        }
        func rise(_ path: KeyPath<ElementCounts, Duration>) -> Duration {
            max(after[keyPath: path] - before[keyPath: path], .zero)
        }
        let dropped = after.dropped.map { $0 > before.dropped ?? 0 ? $0 - (before.dropped ?? 0) : 0 }
        return Tick(
            start: start, end: end, framesIn: rise(\.framesIn), framesOut: rise(\.framesOut), frames: rise(\.frames),
            dropped: dropped ?? 0, blocked: rise(\.blocked), own: rise(\.own), held: rise(\.held),
            quiet: min(rise(\.quiet), end - start),
            transit: SparseLatencies(from: before.transit, to: after.transit),
            age: SparseLatencies(from: before.age, to: after.age))
    }
}

/// Latencies of a short time, without empty bins.
struct SparseLatencies: Sendable {
    private var bins: [(bin: UInt16, count: UInt64)] = []
    private var sum = Duration.zero
    private var unknown: UInt64 = 0

    init() {}

    /// Computes the difference of two readings of one recorder.
    ///
    /// A count that fell has the difference 0; only two concurrent writers can cause that.
    init(from before: LatencyCounts, to after: LatencyCounts) {
        let (earlier, later) = (before.histogram, after.histogram)
        for bin in 0..<DurationBins.count {
            let (old, new) = (earlier.count(inBin: bin), later.count(inBin: bin))
            if new > old { bins.append((UInt16(truncatingIfNeeded: bin), new - old)) }
        }
        sum = max(later.sum - earlier.sum, .zero)
        unknown = after.unknown > before.unknown ? after.unknown - before.unknown : 0
    }

    func add(to counts: inout LatencyCounts) {
        counts.unknown &+= unknown
        guard !bins.isEmpty || sum > .zero else { return }
        for (bin, count) in bins { counts.histogram.add(count, toBin: Int(bin)) }
        let longest = bins.last.map { DurationBins.upperBound(of: Int($0.bin)) } ?? 0
        counts.histogram.extend(sum: sum, longest: .nanoseconds(longest))
    }
}
