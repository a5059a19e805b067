/// A complete message, joined from its fragments.
public enum WebSocketMessage: Sendable, Equatable {
    /// The bytes on the wire, which are valid UTF-8.
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
