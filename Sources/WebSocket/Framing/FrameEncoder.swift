/// Serializes messages and control frames, each as one frame.
enum FrameEncoder {
    /// Number of bytes of a frame with a payload of `length` bytes.
    static func size(_ length: Int, isMasked: Bool) -> Int {
        length + (length <= 125 ? 2 : length <= 0xFFFF ? 4 : 10) + (isMasked ? 4 : 0)
    }

    /// Appends a frame; the payload of a control frame must have at most 125 bytes.
    static func append(
        _ opcode: Opcode, _ payload: [UInt8], mask: MaskKey?, isFinal: Bool = true, to bytes: inout [UInt8]
    ) {
        FrameHeader(isFinal: isFinal, opcode: opcode, length: payload.count, mask: mask).append(to: &bytes)
        guard let mask else { return bytes.append(contentsOf: payload) }
        for (offset, byte) in payload.enumerated() { bytes.append(byte ^ mask.byte(at: offset)) }
    }

    /// Payload of a close frame; a long reason is cut between two characters.
    static func closePayload(_ code: CloseCode, reason: String) -> [UInt8] {
        guard code.isValidOnWire else { return [] }
        var payload = [UInt8(truncatingIfNeeded: code.rawValue >> 8), UInt8(truncatingIfNeeded: code.rawValue)]
        for character in reason.unicodeScalars {
            let bytes = Array(String(character).utf8)
            guard payload.count + bytes.count <= FrameHeader.maximumControlLength else { break }
            payload.append(contentsOf: bytes)
        }
        return payload
    }
}
