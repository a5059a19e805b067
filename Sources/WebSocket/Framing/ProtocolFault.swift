/// Reason why received bytes are not valid frames, or exceed a limit.
struct ProtocolFault: Error, Sendable, Equatable {
    /// Code of the close frame that reports the fault.
    let code: CloseCode
    /// The fault as a clause that is short enough for a close frame.
    let reason: String

    private init(_ reason: String, _ code: CloseCode = .protocolError) { (self.code, self.reason) = (code, reason) }

    static let reservedBits = Self("a frame has reserved bits set, but no extension was negotiated")
    static func reservedOpcode(_ opcode: UInt8) -> Self { Self("a frame has the reserved opcode \(opcode)") }
    static let fragmentedControl = Self("a control frame is fragmented")
    static func longControl(_ length: Int) -> Self {
        Self("a control frame has \(length) bytes, but at most 125 are allowed")
    }
    static let longLength = Self("the length of a frame is not in its shortest form")
    static let lengthOverflow = Self("a frame has more than 2^63 bytes", .tooLarge)
    static let maskMissing = Self("a frame of the client is not masked")
    static let maskUnexpected = Self("a frame of the server is masked")
    static func messageTooLarge(limit: Int) -> Self { Self("a message has more than \(limit) bytes", .tooLarge) }
    static let continuationWithoutStart = Self("a fragment continues no message")
    static let messageInsideMessage = Self("a message begins inside another one")
    static let invalidText = Self("a text message is not UTF-8", .invalidText)
    static let invalidClose = Self("a close frame has an invalid code or reason")
}
