import Durations

/// Figures of one element in one window of time.
@dynamicMemberLookup
public struct WindowFigures: Sendable, Equatable {
    /// Time that the window covers.
    public let length: Duration
    /// Number of frames that count for the rate: those that left, or those that entered a sink.
    public let frames: UInt64
    let counts: ElementCounts
    /// Whether the time of the element without pushes downstream is measured.
    let measuresOwn: Bool

    /// Returns a count of the window, such as `framesIn`.
    public subscript<Value>(dynamicMember path: KeyPath<ElementCounts, Value>) -> Value { counts[keyPath: path] }

    /// Time during which frames were expected.
    public var active: Duration { max(length - counts.quiet, .zero) }

    /// Whether a metric is computed from ages, because it is an age or no frames pass from sink to source pads.
    func usesAge(_ metric: Metric) -> Bool {
        metric.isAge || (counts.latency.count == 0 && counts.latency.unknown == 0)
    }

    /// Frames per second of active time; nil without active time.
    public var rate: Double? { active > .zero ? Double(frames) / active.inSeconds : nil }

    /// Share of the time that pushes were blocked downstream, 0 to 1 for one pad; nil for an empty window.
    var blockedShare: Double? { length > .zero ? counts.blocked / length : nil }

    /// Share of the time that the element spent on the frames that entered, 0 to 1 for one pad; nil if not measured.
    var ownShare: Double? { measuresOwn && length > .zero ? counts.own / length : nil }
}
