/// A complete message, joined from its fragments.
public enum WebSocketMessage: Sendable, Equatable {
    /// Valid UTF-8 with the bytes of the wire.
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
