/// The part of a pipeline that limits its rate.
///
/// Frames pile up upstream of the slow part and never downstream of it. The part therefore begins after the last full
/// queue, and ends before the next queue or at a sink.
struct Bottleneck: Sendable, Equatable {
    /// Kind of a bottleneck.
    enum Kind: Sendable {
        /// One element works or waits for at least 80 % of the time.
        case element
        /// The sink is slow: the elements upstream of the sink are fast, and the sink does not wait for the clock.
        case sink
        /// One of several elements is slow; the figures do not show which one.
        case part
    }

    /// Kind of the bottleneck.
    var kind: Kind
    /// Name of the element, or names of all elements of the part.
    var elements: [String]
    /// Name of the queue upstream of the elements.
    var queue: String
    /// Whether the queue discards frames; if not, frames wait in the queue.
    var queueDrops: Bool
    /// Mean latency of a frame in the element.
    var latency: Duration?
    /// Frames per second that leave the element.
    var rate: Double?
}
