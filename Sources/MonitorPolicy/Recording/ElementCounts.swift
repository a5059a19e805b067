/// Counts of one element since the start, as read at one time; all of them only rise.
public struct ElementCounts: Sendable, Equatable {
    /// Number of frames that entered by sink pads; frames that were inside at the start count when they leave.
    public var framesIn: UInt64 = 0
    /// Number of frames that left by source pads.
    public var framesOut: UInt64 = 0
    /// Number of frames that entered and did not leave; nil if they cannot be counted.
    public var dropped: UInt64?
    /// Sum of the sizes of the frames that entered, in bytes.
    public var bytesIn: UInt64 = 0
    /// Sum of the sizes of the frames that left, in bytes.
    public var bytesOut: UInt64 = 0
    /// Time that pushes were blocked downstream.
    public var blocked = Duration.zero
    /// Time spent on the frames that entered, without pushes downstream; zero if not measured.
    public var own = Duration.zero
    /// Number of frames that left after a later one had entered; 0 if the element processes one frame at a time.
    public var held: UInt64 = 0
    /// Time during which no frames were expected.
    public var quiet = Duration.zero
    /// Latencies from a sink pad to a source pad.
    public var latency = LatencyCounts()
    /// Ages since the source, of frames that leave; in a sink, of frames that enter.
    public var age = LatencyCounts()
    /// Whether the element has source pads; if not, the element is a sink.
    public var hasOutput = false
    /// Whether the element has sink pads; if not, the element is a source.
    public var hasInput = false

    /// Creates counts of an element without pads.
    public init() {}

    /// Sums the counts of the present and of the removed pads.
    ///
    /// If the element does not report drops, they are known only with one sink pad. They are unknown if more frames
    /// leave than enter, because the element then adds frames such as copies or headers. A frame that left by one of
    /// several source pads is not dropped, so drops are then known only if one pad dropped none.
    public init(pads: [PadCounts], removed: [PadCounts], quiet: Duration, reportedDrops: UInt64?) {
        let all = pads + removed
        let hasOutput = all.contains { $0.role != .sink }
        self = .sum(
            all.map { pad in
                var counts = pad.counts
                // An element with source pads has the age of the frames that leave.
                if hasOutput, pad.role == .sink { counts.age = LatencyCounts() }
                return counts
            })
        self.quiet = quiet
        let drops = pads.filter { $0.role == .source }.map(\.dropped)
        if pads.count(where: { $0.role == .sink }) == 1, drops.count == 1 || drops.min() == 0 { dropped = drops.min() }
        let addsFrames = pads.contains { $0.strangers > 0 }
        if framesOut > framesIn, addsFrames { dropped = nil }
        guard let reportedDrops else { return }
        // The report is up to 1 s old, and an element may reset its counter when it stops.
        let dropped = max(reportedDrops, dropped ?? 0)
        self.dropped = dropped
        // Frames that were inside at the start also count as entered when they are dropped.
        let isPlain = pads.count(where: { $0.role == .sink }) == 1 && drops.count < 2 && pads.count == drops.count + 1
        if isPlain, !addsFrames { framesIn = max(framesIn, framesOut &+ dropped) }
    }

    /// Adds the counts of pads, of sinks or of ticks; the drops of the sum are unknown if those of all parts are.
    static func sum(_ parts: [Self]) -> Self {
        var sum = Self()
        for part in parts {
            sum.framesIn &+= part.framesIn
            sum.framesOut &+= part.framesOut
            if let dropped = part.dropped { sum.dropped = (sum.dropped ?? 0) &+ dropped }
            sum.bytesIn &+= part.bytesIn
            sum.bytesOut &+= part.bytesOut
            sum.blocked += part.blocked
            sum.own += part.own
            sum.held &+= part.held
            sum.quiet += part.quiet
            sum.hasOutput = sum.hasOutput || part.hasOutput
            sum.hasInput = sum.hasInput || part.hasInput
        }
        sum.latency = LatencyCounts.sum(parts.map(\.latency))
        sum.age = LatencyCounts.sum(parts.map(\.age))
        return sum
    }

    /// The rise since `before`; a count that fell has the difference 0.
    static func - (after: Self, before: Self) -> Self {
        func rise(_ path: KeyPath<Self, UInt64>) -> UInt64 {
            after[keyPath: path] - min(after[keyPath: path], before[keyPath: path])
        }
        func rise(_ path: KeyPath<Self, Duration>) -> Duration {
            max(after[keyPath: path] - before[keyPath: path], .zero)
        }
        var difference = after
        (difference.framesIn, difference.framesOut, difference.held) = (
            rise(\.framesIn), rise(\.framesOut), rise(\.held)
        )
        (difference.bytesIn, difference.bytesOut) = (rise(\.bytesIn), rise(\.bytesOut))
        (difference.blocked, difference.own, difference.quiet) = (rise(\.blocked), rise(\.own), rise(\.quiet))
        difference.dropped = after.dropped.map { $0 - min($0, before.dropped ?? 0) }
        (difference.latency, difference.age) = (after.latency - before.latency, after.age - before.age)
        return difference
    }

    /// Counts that a sink adds to the counts of the pipeline, whose rate is the sum of the rates of its sinks.
    var entered: Self {
        var counts = Self()
        counts.hasInput = true
        (counts.framesIn, counts.bytesIn, counts.dropped, counts.age) = (framesIn, bytesIn, dropped, age)
        return counts
    }

    /// Number of frames that count for the rate.
    public var frames: UInt64 { hasOutput ? framesOut : framesIn }
}
