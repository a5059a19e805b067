@testable import SendspinProtocol

extension ArtworkMessage {
    /// The message with its type; `channel` must be 0 to 3.
    package var bytes: [UInt8] {
        func type(_ channel: Int) -> UInt8 { BinaryType.artwork.lowerBound + UInt8(channel & 3) }

        switch self {
        case .announcement(let channel, let timestamp, let size):
            return [type(channel), Self.announceFlag] + BigEndian.bytes(timestamp.wireMicroseconds)
                + BigEndian.bytes(UInt32(clamping: size))
        case .part(let channel, let data): return [type(channel), 0] + data
        case .cancellation(let channel): return [type(channel), Self.cancelFlag]
        case .image(let channel, let timestamp, let data):
            return [type(channel)] + BigEndian.bytes(timestamp.wireMicroseconds) + data
        }
    }
}

extension AudioChunk {
    /// The message with its type.
    package func bytes(_ dialect: Dialect) -> [UInt8] {
        var bytes = [BinaryType.audio] + BigEndian.bytes(timestamp.wireMicroseconds)
        if dialect == .encrypted { bytes += BigEndian.bytes(UInt32(clamping: sendAhead?.wireMicroseconds ?? 0)) }
        return bytes + payload
    }
}

extension BigEndian {
    fileprivate static func bytes<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
        (0..<Value.bitWidth / 8).reversed().map { UInt8(truncatingIfNeeded: value >> Value(8 * $0)) }
    }
}
