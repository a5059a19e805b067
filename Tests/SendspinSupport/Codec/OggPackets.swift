/// Packets of the first stream in an Ogg file (RFC 3533).
package enum OggPackets {
    /// Returns all packets; nil if the file is malformed.
    package static func read(_ file: [UInt8]) -> [[UInt8]]? {
        var (packets, packet): ([[UInt8]], [UInt8]) = ([], [])
        var rest = file[...]
        while !rest.isEmpty {
            guard rest.count >= 27, rest.starts(with: "OggS".utf8) else { return nil }
            let start = rest.startIndex
            let lacing = rest[(start + 27)...].prefix(Int(rest[start + 26]))
            var body = rest[lacing.endIndex...]
            for length in lacing {
                guard body.count >= Int(length) else { return nil }
                packet += body.prefix(Int(length))
                body = body.dropFirst(Int(length))
                // A segment of fewer than 255 bytes ends its packet.
                guard length < 255 else { continue }
                packets.append(packet)
                packet = []
            }
            rest = body
        }
        return packets
    }
}
