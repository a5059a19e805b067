/// A binary message of the source role: a capture time and encoded audio.
public struct SourceChunk: Equatable, Sendable {
    /// Number of bytes before the payload, including the type.
    static let headerSize = 9
    /// Longest chunk that the protocol permits.
    public static let longest = Duration.milliseconds(150)

    /// Server time at which the first sample of the decoded payload was captured.
    public var timestamp: Duration
    /// Whole PCM frames, whole FLAC frames, or one Opus packet; not empty.
    public var payload: [UInt8]

    /// Creates a chunk.
    public init(timestamp: Duration, payload: [UInt8]) {
        self.timestamp = timestamp
        self.payload = payload
    }

    /// The message with its type.
    var message: [UInt8] { [BinaryType.capturedAudio] + BigEndian.bytes(timestamp.wireMicroseconds) + payload }
}
