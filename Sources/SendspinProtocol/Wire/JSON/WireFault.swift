/// A fault of a received message: the field that is wrong and, if it is short, its value.
public enum WireFault: Error, Equatable, Sendable {
    /// The text is not an object with a `type`.
    case notAMessage
    /// A field is missing.
    case missing(field: String)
    /// A field has another type.
    case wrongType(field: String, expected: String)
    /// A number is out of range.
    case outOfRange(field: String, value: String)
    /// A text is none of the known values.
    case unknownValue(field: String, value: String)
    /// A binary message is shorter or longer than its type requires.
    case badLength(type: UInt8, byteCount: Int)
    /// Flag bits of a binary message that are reserved, or that exclude each other.
    case badFlags(type: UInt8, flags: UInt8)
    /// A fragment at a point where the protocol allows none, as a clause.
    case badFragment(String)
    /// A fragmented message exceeds the limit.
    case tooLong(byteCount: Int, limit: Int)
}

extension WireFault: CustomStringConvertible {
    /// A clause for a message: `"player.volume" is 101, which is out of range`.
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
