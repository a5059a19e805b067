import WebSocket

/// A hostile message, which must not crash or block a client.
package enum Attack: Sendable, Equatable {
    /// Text of a JSON message.
    case json([UInt8])
    /// Plaintext of a transport message.
    case plaintext([UInt8])
    /// Encoded audio for a time after the attack.
    case chunk(after: Duration, payload: [UInt8])
    /// WebSocket message that is sent without encryption.
    case raw(WebSocketMessage)

    /// Bytes of the message.
    package var bytes: [UInt8] {
        switch self {
        case .json(let bytes), .plaintext(let bytes), .chunk(_, let bytes): bytes
        case .raw(let message): message.bytes
        }
    }
}
