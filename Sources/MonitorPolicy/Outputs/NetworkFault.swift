/// A network that delivers packets too late or not at all, according to the counters of a jitter buffer.
public struct NetworkFault: Sendable, Equatable {
    /// Fault of the missing packets.
    public enum Kind: Sendable {
        /// Packets arrive after the jitter buffer has waited for them.
        case late
        /// Packets never arrive.
        case lossy
    }

    /// Fault of most of the missing packets.
    public var kind: Kind
    /// Name of the jitter buffer.
    public var element: String
    /// Share of the packets with this fault.
    public var share: Double
    /// Time for which the jitter buffer waits; nil if unknown.
    public var latency: Duration?
}
