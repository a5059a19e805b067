/// A fault of a received message: the field, and its value if it is short.
public enum WireFault: Error, Equatable, Sendable {
    /// The text is not an object with a `type`.
    case notAMessage
    /// A field is missing.
    case missing(field: String)
    /// A field has another type.
    case wrongType(field: String, expected: String)
    /// A number is out of range.
    case outOfRange(field: String, value: String)
    /// A text is not one of the known values.
    case unknownValue(field: String, value: String)
    /// A binary message has an invalid length for its type.
    case badLength(type: UInt8, byteCount: Int)
    /// A binary message has flag bits that are reserved or exclude each other.
    case badFlags(type: UInt8, flags: UInt8)
    /// The protocol does not permit the fragment, for the reason in the clause.
    case badFragment(String)
    /// A fragmented message exceeds the limit.
    case tooLong(byteCount: Int, limit: Int)
}

extension WireFault: CustomStringConvertible {
    /// A clause such as `"player.volume" is 101, which is out of range`.
    public var description: String {
        switch self {
        case .notAMessage: "the text is not an object with a \"type\""
        case .missing(let field): "\"\(field)\" is missing"
        case .wrongType(let field, let expected): "\"\(field)\" is not \(expected)"
        case .outOfRange(let field, let value):
            "\"\(field)\" is \(PeerText.make(value, limit: 40)), which is out of range"
        case .unknownValue(let field, let value):
            "\"\(field)\" is \"\(PeerText.make(value, limit: 40))\", which is unknown"
        case .badLength(let type, let count): "binary message \(type) has an invalid length of \(count) bytes"
        case .badFlags(let type, let flags): "binary message \(type) has invalid flags \(flags)"
        case .badFragment(let clause): clause
        case .tooLong(let count, let limit):
            "a fragmented message has at least \(count) bytes, but the maximum is \(limit)"
        }
    }
}
