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
    public var transit = LatencyCounts()
    /// Ages since the source, of frames that leave; in a sink, of frames that enter.
    public var age = LatencyCounts()
    /// Whether the element has source pads; otherwise it is a sink.
    public var hasOutput = false
    /// Whether the element has sink pads; otherwise it is a source.
    public var hasInput = false

    /// Creates counts of an element without pads.
    public init() {}

    /// Sums the counts of the present and of the removed pads.
    ///
    /// With several source pads, drops are known only if one pad dropped none, because a frame that left by any pad is
    /// not dropped. If an element adds frames, such as copies or headers, and more frames leave than enter, drops are
    /// unknown.
    public init(pads: [PadCounts], removed: [PadCounts] = [], quiet: Duration, reportedDrops: UInt64?) {
        self.quiet = quiet
        hasOutput = (pads + removed).contains { $0.role != .sink }
        hasInput = (pads + removed).contains { $0.role == .sink }
        let drops = pads.filter { $0.role == .source }.map(\.dropped)
        if pads.count(where: { $0.role == .sink }) == 1, drops.count == 1 || drops.min() == 0 { dropped = drops.min() }
        for pad in pads + removed { add(pad) }
        let addsFrames = pads.contains { $0.strangers > 0 }
        if framesOut > framesIn, addsFrames { dropped = nil }
        guard let reportedDrops else { return }
        // The report is up to 1 s old, and an element may reset its counter when it stops.
        let dropped = max(reportedDrops, dropped ?? 0)
        self.dropped = dropped
        // Frames that were inside at the start count when they are dropped, too.
        let isPlain = pads.count(where: { $0.role == .sink }) == 1 && drops.count < 2 && pads.count == drops.count + 1
        if isPlain, !addsFrames { framesIn = max(framesIn, framesOut &+ dropped) }
    }

    /// Sums the frames of the sinks of a pipeline, and the ages of these frames.
    ///
    /// The rate of a pipeline is the sum of the rates of its sinks. The pipeline is quiet while all sinks are quiet.
    public static func pipeline(sinks: [Self]) -> Self {
        var counts = Self()
        counts.hasInput = true
        counts.quiet = sinks.map(\.quiet).min() ?? .zero
        for sink in sinks {
            counts.framesIn &+= sink.framesIn
            counts.bytesIn &+= sink.bytesIn
            counts.age += sink.age
        }
        return counts
    }

    /// Number of frames that count for the rate.
    public var frames: UInt64 { hasOutput ? framesOut : framesIn }

    private mutating func add(_ pad: PadCounts) {
        if pad.role == .sink {
            framesIn &+= pad.frames
            bytesIn &+= pad.bytes
        } else {
            framesOut &+= pad.frames
            bytesOut &+= pad.bytes
            framesIn &+= pad.earlier
        }
        blocked += .nanoseconds(pad.blocked)
        own += .nanoseconds(pad.own)
        held &+= pad.held
        if let transit = pad.transit { self.transit += transit }
        if hasOutput == (pad.role != .sink) { age += pad.age }
    }
}
