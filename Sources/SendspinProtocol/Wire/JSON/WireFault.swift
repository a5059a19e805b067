/// A fault of a received message, with the field and at most 40 bytes of its value.
public struct WireFault: Error, Equatable, Sendable, CustomStringConvertible {
    /// A clause such as `"player.volume" is 101, which is out of range`.
    public let description: String

    private init(_ description: String) { self.description = description }

    static let notAMessage = Self("the text is not an object with a \"type\"")
    static func missing(field: String) -> Self { Self("\"\(field)\" is missing") }
    static func wrongType(field: String, expected: String) -> Self { Self("\"\(field)\" is not \(expected)") }
    static func outOfRange(field: String, value: String) -> Self {
        Self("\"\(field)\" is \(PeerText.make(value, limit: 40)), which is out of range")
    }
    static func unknownValue(field: String, value: String) -> Self {
        Self("\"\(field)\" is \"\(PeerText.make(value, limit: 40))\", which is unknown")
    }
    static func badLength(type: UInt8, byteCount: Int) -> Self {
        Self("binary message \(type) has an invalid length of \(byteCount) bytes")
    }
    /// The flags contain reserved bits, or bits that exclude each other.
    static func badFlags(type: UInt8, flags: UInt8) -> Self {
        Self("binary message \(type) has invalid flags \(flags)")
    }
    /// The protocol does not permit the fragment, for the reason in the clause.
    static func badFragment(_ clause: String) -> Self { Self(clause) }
    static func tooLong(byteCount: Int, limit: Int) -> Self {
        Self("a fragmented message has at least \(byteCount) bytes, but the maximum is \(limit)")
    }
}
