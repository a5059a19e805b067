/// A message of the WebSocket connection, without its framing.
public enum SocketMessage: Equatable, Sendable {
    /// UTF-8.
    case text([UInt8])
    /// Any bytes.
    case binary([UInt8])

    /// The content of the message.
    public var bytes: [UInt8] {
        switch self {
        case .text(let bytes), .binary(let bytes): bytes
        }
    }
}

/// An instruction to the owner of a session.
///
/// Actions must be carried out in their order.
public enum SessionAction: Sendable {
    /// Send a message.
    case send(SocketMessage)
    /// Close the connection with this WebSocket status after all messages are sent. The session is over.
    case close(code: UInt16)
    /// Tell the application.
    case event(SessionEvent)
}
