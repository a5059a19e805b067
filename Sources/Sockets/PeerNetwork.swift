/// Network of a peer: its IPv4 address, or the first 64 bits of its IPv6 address.
///
/// A machine may use all IPv6 addresses with these bits. Machines of one link share the bits, so they can exclude each
/// other.
public struct PeerNetwork: Hashable, Sendable {
    private let bits: UInt64

    /// `bits` is the network as `csockets_accept` returns it.
    init(_ bits: UInt64) { self.bits = bits }

    /// Index of the connection to end for a new one; nil if there is none.
    ///
    /// It is the oldest connection of the network with the most connections, including the new one. So a network loses
    /// connections only to itself, or to a network with fewer connections.
    public static func evicted(from connections: [PeerNetwork], for new: PeerNetwork) -> Int? {
        let shares = connections.reduce(into: [new: 1]) { $0[$1, default: 0] += 1 }
        let most = connections.compactMap { shares[$0] }.max()
        return connections.firstIndex { shares[$0] == most }
    }
}
