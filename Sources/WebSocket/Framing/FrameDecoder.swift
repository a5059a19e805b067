/// Parses received bytes, in pieces of any size, into messages and control frames.
///
/// The decoder must not be used after a fault or a close frame.
struct FrameDecoder: Sendable {
    enum Incoming: Sendable, Equatable {
        case message(WebSocketMessage)
        case ping([UInt8])
        case pong([UInt8])
        case close(CloseCode, reason: String)
    }

    private let isMasked: Bool
    private let limit: Int
    private var headerBytes: [UInt8] = []
    /// The incomplete frame, and the received length of its payload.
    private var frame: (header: FrameHeader, received: Int)?
    /// Kind of the incomplete message.
    private var kind: Opcode?
    private var message: [UInt8] = []
    private var control: [UInt8] = []

    /// Maximum memory in bytes that is reserved for a message before it arrives.
    private static let trustedLength = 1 << 16

    /// Creates a decoder of frames that `role` receives, for messages of at most `limit` bytes.
    init(role: WebSocketRole, limit: Int) {
        isMasked = role == .server
        self.limit = limit
        headerBytes.reserveCapacity(FrameHeader.maximumSize)
    }

    var heldCapacity: Int { message.capacity + control.capacity }

    /// Parses `input` up to a complete message or control frame, and removes the parsed bytes; nil if none is complete.
    mutating func next(_ input: inout ArraySlice<UInt8>) throws(ProtocolFault) -> Incoming? {
        while true {
            if frame == nil, !(try takeHeader(&input)) { return nil }
            guard let (header, received) = frame else { return nil }
            let payload = input.prefix(header.length - received)
            input = input.dropFirst(payload.count)
            append(payload, of: header, at: received)
            guard received + payload.count == header.length else {
                frame = (header, received + payload.count)
                return nil
            }
            frame = nil
            if let complete = try complete(header) { return complete }
        }
    }

    /// Parses the header of a frame; false if the header is incomplete.
    private mutating func takeHeader(_ input: inout ArraySlice<UInt8>) throws(ProtocolFault) -> Bool {
        while true {
            let size = headerBytes.count < 2 ? 2 : FrameHeader.size(headerBytes[0], headerBytes[1])
            if headerBytes.count == size { break }
            guard let byte = input.popFirst() else { return false }
            headerBytes.append(byte)
        }
        let header = try FrameHeader(headerBytes)
        headerBytes.removeAll(keepingCapacity: true)
        try begin(header)
        frame = (header, 0)
        return true
    }

    private mutating func begin(_ header: FrameHeader) throws(ProtocolFault) {
        guard (header.mask != nil) == isMasked else { throw isMasked ? .maskMissing : .maskUnexpected }
        switch header.opcode {
        case .close, .ping, .pong:
            control.removeAll(keepingCapacity: true)
            return
        case .continuation:
            guard kind != nil else { throw .continuationWithoutStart }
        case .text, .binary:
            guard kind == nil else { throw .messageInsideMessage }
            kind = header.opcode
        }
        guard header.length <= limit - message.count else { throw .messageTooLarge(limit: limit) }
        if message.isEmpty { message.reserveCapacity(min(header.length, Self.trustedLength)) }
    }

    private mutating func append(_ payload: ArraySlice<UInt8>, of header: FrameHeader, at offset: Int) {
        if header.opcode.isControl {
            Self.append(payload, at: offset, header.mask, to: &control)
        } else {
            Self.append(payload, at: offset, header.mask, to: &message)
        }
    }

    private static func append(_ payload: ArraySlice<UInt8>, at offset: Int, _ mask: MaskKey?, to bytes: inout [UInt8])
    {
        guard let mask else { return bytes.append(contentsOf: payload) }
        var offset = offset
        for byte in payload {
            bytes.append(byte ^ mask.byte(at: offset))
            offset &+= 1
        }
    }

    /// Handles the end of a frame; nil if more fragments of its message follow.
    private mutating func complete(_ header: FrameHeader) throws(ProtocolFault) -> Incoming? {
        switch header.opcode {
        case .ping: return .ping(control)
        case .pong: return .pong(control)
        case .close: return try Self.close(control)
        case .continuation, .text, .binary:
            guard header.isFinal, let kind else { return nil }
            guard kind != .text || String(validating: message, as: UTF8.self) != nil else { throw .invalidText }
            let bytes = message
            message = []
            self.kind = nil
            return .message(kind == .text ? .text(bytes) : .binary(bytes))
        }
    }

    private static func close(_ payload: [UInt8]) throws(ProtocolFault) -> Incoming {
        guard !payload.isEmpty else { return .close(.noStatus, reason: "") }
        guard payload.count >= 2 else { throw .invalidClose }
        let code = CloseCode(rawValue: (UInt16(payload[0]) << 8) | UInt16(payload[1]))
        guard code.isValidOnWire, let reason = String(validating: payload[2...], as: UTF8.self) else {
            throw .invalidClose
        }
        return .close(code, reason: reason)
    }
}
