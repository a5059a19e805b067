/// A binary message of the artwork role.
public enum ArtworkMessage: Equatable, Sendable {
    /// Parts of an image of `size` bytes follow, which is shown at server time `timestamp`; size 0 clears the channel.
    case announcement(channel: Int, timestamp: Duration, size: Int)
    /// The next bytes of the announced image.
    case part(channel: Int, data: ArraySlice<UInt8>)
    /// Discards an image that is not complete, or not shown yet.
    case cancellation(channel: Int)
    /// A complete image of the legacy dialect.
    case image(channel: Int, timestamp: Duration, data: ArraySlice<UInt8>)

    static let cancelFlag: UInt8 = 1
    static let announceFlag: UInt8 = 2
    private static let announcementSize = 14
    private static let imageHeaderSize = 9

    /// Maximum number of bytes of a message of the encrypted dialect; artwork messages are not fragmented.
    public static let sizeLimit = Fragments.plaintextLimit

    /// Parses a message whose type is in `BinaryType.artwork`.
    public init(parsing message: [UInt8], _ dialect: Dialect) throws(WireFault) {
        guard let type = message.first, BinaryType.artwork.contains(type) else {
            throw .badLength(type: message.first ?? 0, byteCount: message.count)
        }
        let channel = Int(type - BinaryType.artwork.lowerBound)
        var badLength: WireFault { .badLength(type: type, byteCount: message.count) }
        if dialect == .legacy {
            guard message.count >= Self.imageHeaderSize, let time: Int64 = BigEndian.read(message[1...]) else {
                throw badLength
            }
            let timestamp = Duration(wireMicroseconds: time)
            self = .image(channel: channel, timestamp: timestamp, data: message[Self.imageHeaderSize...])
            return
        }
        guard message.count >= 2, message.count <= Self.sizeLimit else { throw badLength }
        switch message[1] {
        case 0: self = .part(channel: channel, data: message[2...])
        case Self.cancelFlag:
            guard message.count == 2 else { throw badLength }
            self = .cancellation(channel: channel)
        case Self.announceFlag:
            guard message.count == Self.announcementSize, let time: Int64 = BigEndian.read(message[2...]),
                let size: UInt32 = BigEndian.read(message[10...])
            else { throw badLength }
            self = .announcement(channel: channel, timestamp: Duration(wireMicroseconds: time), size: Int(size))
        default: throw .badFlags(type: type, flags: message[1])
        }
    }
}
