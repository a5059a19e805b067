/// Status code of a close frame (RFC 6455, section 7.4).
public struct CloseCode: RawRepresentable, Sendable, Hashable {
    /// The number in the close frame.
    public var rawValue: UInt16

    /// Creates a code.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The connection has fulfilled its purpose.
    public static let normal = Self(rawValue: 1000)
    /// The peer shuts down or leaves.
    public static let goingAway = Self(rawValue: 1001)
    /// A frame violated the protocol.
    public static let protocolError = Self(rawValue: 1002)
    /// The close frame had no code; this code is never sent.
    public static let noStatus = Self(rawValue: 1005)
    /// A text message was not UTF-8.
    public static let invalidText = Self(rawValue: 1007)
    /// The application has refused a message.
    public static let policyViolation = Self(rawValue: 1008)
    /// A message was too large.
    public static let tooLarge = Self(rawValue: 1009)
    /// The server met an unexpected condition.
    public static let internalError = Self(rawValue: 1011)

    /// Whether a close frame may contain the code.
    public var isValidOnWire: Bool {
        switch rawValue {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}
