import Durations

/// Figures of one element in one window of time.
public struct WindowFigures: Sendable, Equatable {
    /// Time that the window covers.
    public var length = Duration.zero
    /// Part of `length` during which no frames were expected.
    public var quiet = Duration.zero
    /// Number of frames that entered.
    public var framesIn: UInt64 = 0
    /// Number of frames that left.
    public var framesOut: UInt64 = 0
    /// Number of frames that count for the rate: those that left, or those that entered a sink.
    public var frames: UInt64 = 0
    /// Number of frames that entered and did not leave; nil if that cannot be counted.
    public var dropped: UInt64?
    /// Time that pushes were blocked downstream.
    public var blocked = Duration.zero
    /// Time spent on the frames that entered, without pushes downstream; nil if not measured.
    public var own: Duration?
    /// Number of frames that left after a later one had entered.
    public var held: UInt64 = 0
    /// Latencies from a sink pad to a source pad.
    public var transit = LatencyCounts()
    /// Ages since the source.
    public var age = LatencyCounts()

    /// Creates the figures of an empty window.
    public init() {}

    /// Time during which frames were expected.
    public var active: Duration { max(length - quiet, .zero) }

    /// Whether frames pass from sink pads to source pads, so that there is a latency through the element.
    var hasTransit: Bool { transit.histogram.count > 0 || transit.unknown > 0 }

    /// Frames per second of active time; nil without active time.
    public var rate: Double? { active > .zero ? Double(frames) / active.inSeconds : nil }

    /// Share of the time that pushes were blocked downstream, 0 to 1 for one pad; nil for an empty window.
    var blockedShare: Double? { length > .zero ? blocked / length : nil }

    /// Share of the time that the element spent on the frames that entered, 0 to 1 for one pad; nil if not measured.
    var ownShare: Double? { own.flatMap { length > .zero ? $0 / length : nil } }
}
