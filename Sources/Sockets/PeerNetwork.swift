/// Network of a peer: its IPv4 address, or the first 64 bits of its IPv6 address.
///
/// A machine may use all IPv6 addresses with these bits. Machines on one link have the same bits, so each of them can
/// evict connections of the others.
public struct PeerNetwork: Hashable, Sendable {
    private let bits: UInt64

    /// `bits` is the network as `csockets_accept` returns it.
    init(_ bits: UInt64) { self.bits = bits }

    /// Index of the connection to close for a new connection from `new`; nil if there are no connections.
    ///
    /// The oldest connection of the network with the most connections is closed; the new connection counts too. So a
    /// network loses connections only to itself, or to a network that had fewer connections.
    public static func evicted(from connections: [PeerNetwork], for new: PeerNetwork) -> Int? {
        let shares = connections.reduce(into: [new: 1]) { $0[$1, default: 0] += 1 }
        let most = connections.compactMap { shares[$0] }.max()
        return connections.firstIndex { shares[$0] == most }
    }
}
