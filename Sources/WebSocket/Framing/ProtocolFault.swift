/// Reason why received bytes are no valid frames, or exceed a limit.
enum ProtocolFault: Error, Sendable, Equatable {
    case reservedBits
    case reservedOpcode(UInt8)
    case fragmentedControl
    case longControl(Int)
    case longLength
    case lengthOverflow
    case maskMissing
    case maskUnexpected
    case messageTooLarge(limit: Int)
    case continuationWithoutStart
    case messageInsideMessage
    case invalidText
    case invalidClose

    /// Code of the close frame that reports the fault.
    var code: CloseCode {
        switch self {
        case .messageTooLarge, .lengthOverflow: .tooLarge
        case .invalidText: .invalidText
        default: .protocolError
        }
    }

    /// Clause that fits into a close frame.
    var reason: String {
        switch self {
        case .reservedBits: "a frame has reserved bits set, but no extension was negotiated"
        case .reservedOpcode(let opcode): "a frame has the reserved opcode \(opcode)"
        case .fragmentedControl: "a control frame is fragmented"
        case .longControl(let length): "a control frame has \(length) bytes, but at most 125 are allowed"
        case .longLength: "the length of a frame is not in its shortest form"
        case .lengthOverflow: "a frame has more than 2^63 bytes"
        case .maskMissing: "a frame of the client is not masked"
        case .maskUnexpected: "a frame of the server is masked"
        case .messageTooLarge(let limit): "a message has more than \(limit) bytes"
        case .continuationWithoutStart: "a fragment continues no message"
        case .messageInsideMessage: "a message begins inside another one"
        case .invalidText: "a text message is not UTF-8"
        case .invalidClose: "a close frame has an invalid code or reason"
        }
    }
}
