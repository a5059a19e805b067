/// Network of a peer: its IPv4 address, or the first 64 bits of its IPv6 address, because a machine may use all addresses
/// that begin with these.
///
/// The machines of one link share these bits, so they can keep each other out.
public struct PeerNetwork: Hashable, Sendable {
    private let bytes: [UInt8]

    /// `address` are the bytes of a numeric address.
    init(address: [UInt8]) {
        // An IPv4 address in the form ::ffff:a.b.c.d is in its last four bytes.
        let isMapped = address.count == 16 && address.starts(with: [UInt8](repeating: 0, count: 10))
        bytes = Array(isMapped ? address.suffix(4) : address.prefix(8))
    }

    /// Index of the connection that ends for a new one: the oldest one of the network with the most of them, the new one
    /// included; nil if there is none.
    ///
    /// So a network loses a connection only to itself, or to one with fewer of them.
    public static func evicted(from connections: [PeerNetwork], for new: PeerNetwork) -> Int? {
        let shares = connections.reduce(into: [new: 1]) { $0[$1, default: 0] += 1 }
        let most = connections.compactMap { shares[$0] }.max()
        return connections.firstIndex { shares[$0] == most }
    }
}
