/// A network that delivers packets too late, or not at all, as the jitter buffer behind it counts them.
public struct NetworkFault: Sendable, Equatable {
    /// The fault of the packets that are missing.
    public enum Kind: Sendable {
        /// They arrive after the jitter buffer has waited for them.
        case late
        /// They never arrive.
        case lossy
    }

    /// Fault of most of the packets that are missing.
    public var kind: Kind
    /// Name of the jitter buffer.
    public var element: String
    /// Share of all packets.
    public var share: Double
    /// Time for which the jitter buffer waits; nil if it is not known.
    public var latency: Duration?
}
