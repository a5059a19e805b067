/// A whole message; its fragments are not visible.
public enum WebSocketMessage: Sendable, Equatable {
    /// Valid UTF-8, byte for byte as it was on the wire.
    case text([UInt8])
    /// Any bytes.
    case binary([UInt8])

    /// The payload.
    public var bytes: [UInt8] {
        switch self {
        case .text(let bytes), .binary(let bytes): bytes
        }
    }
}
