/// A binary message of the player role: a timestamp and encoded audio.
public struct AudioChunk: Equatable, Sendable {
    /// Server time at which the first sample leaves the audio output.
    public var timestamp: Duration
    /// Time from transmission to `timestamp`; nil if the value is saturated or the server does not send it.
    public var sendAhead: Duration?
    /// The encoded audio: whole frames of PCM or FLAC, or one packet of Opus.
    public var payload: ArraySlice<UInt8>

    /// Number of bytes before the payload, including the type.
    static func headerSize(_ dialect: Dialect) -> Int { dialect == .encrypted ? 13 : 9 }
}

extension AudioChunk {
    /// Parses a message of type `BinaryType.audio`; the payload shares the storage of `message`.
    public init(parsing message: [UInt8], _ dialect: Dialect) throws(WireFault) {
        let headerSize = Self.headerSize(dialect)
        guard message.count > headerSize, let microseconds: Int64 = BigEndian.read(message[1...]) else {
            throw .badLength(type: BinaryType.audio, byteCount: message.count)
        }
        timestamp = Duration(wireMicroseconds: microseconds)
        payload = message[headerSize...]
        guard dialect == .encrypted, let ahead: UInt32 = BigEndian.read(message[9...]) else { return }
        // Both ends of the range mean that the value is saturated.
        sendAhead = ahead == 0 || ahead == .max ? nil : Duration(wireMicroseconds: Int64(ahead))
    }
}
