/// A message of the WebSocket connection without framing.
public enum SocketMessage: Equatable, Sendable {
    /// Text in UTF-8.
    case text([UInt8])
    /// Any bytes.
    case binary([UInt8])

    /// The content of the message.
    public var bytes: [UInt8] {
        switch self {
        case .text(let bytes), .binary(let bytes): bytes
        }
    }

    /// Moves the bytes out, so that they have one owner and are changed in place.
    mutating func take() -> [UInt8] {
        defer { self = .binary([]) }
        return bytes
    }
}

/// An instruction to the owner of a session; the owner performs actions in their order.
public enum SessionAction: Sendable {
    /// Send a message.
    case send(SocketMessage)
    /// Close the connection with this WebSocket status after all messages are sent; the session has ended.
    case close(code: UInt16)
    /// Report an event to the application.
    case event(SessionEvent)
}
