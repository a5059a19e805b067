import Durations

/// The part of a pipeline that limits its rate, if the figures show one.
///
/// Frames pile up before the slow part and never behind it. So it begins behind the last queue that is full, and ends
/// before the next queue or at a sink.
public struct Bottleneck: Sendable, Equatable {
    /// Kind of what was found.
    public enum Kind: String, Sendable {
        /// One element works or waits during all of its time.
        case element
        /// All elements before the sink are fast, and the sink does not wait for the clock.
        case sink
        /// One of several elements; the figures do not show which.
        case part
    }

    /// Kind of what was found.
    public var kind: Kind
    /// Names of the elements: one, or for a part all of its elements.
    public var elements: [String]
    /// Name of the queue before them.
    public var queue: String
    /// Whether the queue discards frames; otherwise they wait in it.
    public var queueDrops: Bool
    /// Mean time that a frame takes in the element.
    public var latency: Duration?
    /// Frames a second that leave the element.
    public var rate: Double?
}
