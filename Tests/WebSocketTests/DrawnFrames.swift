@testable import WebSocket

/// Frames that are written as words: `T` text, `B` binary, `C` continuation, `P` ping, `O` pong, `X` close.
///
/// A `-` after the letter marks a fragment that is not the last fragment. The payload follows a colon (`T-:Hel C:lo`).
/// The payload of a close frame begins with the code.
enum DrawnFrames {
    /// The bytes of the frames, which are masked if `fromClient` is true.
    static func bytes(_ drawing: String, fromClient: Bool = false) -> [UInt8] {
        var bytes: [UInt8] = []
        for (index, word) in drawing.split(separator: " ").enumerated() {
            let parts = word.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let mask = fromClient ? MaskKey(value: 0x1234_5678 &* UInt32(index + 1)) : nil
            let payload = parts.count > 1 ? Array(parts[1].utf8) : []
            FrameEncoder.append(
                opcode(parts[0].first), opcode(parts[0].first) == .close ? close(payload) : payload, mask: mask,
                isFinal: parts[0].last != "-", to: &bytes)
        }
        return bytes
    }

    private static func opcode(_ letter: Character?) -> Opcode {
        switch letter {
        case "T": .text
        case "B": .binary
        case "C": .continuation
        case "P": .ping
        case "O": .pong
        default: .close
        }
    }

    private static func close(_ payload: [UInt8]) -> [UInt8] {
        guard let code = UInt16(String(decoding: payload.prefix(4), as: UTF8.self)) else { return payload }
        return [UInt8(code >> 8), UInt8(code & 0xFF)] + payload.dropFirst(4)
    }

    /// Decodes the pieces to words until a close frame or a fault; a word for a fault contains `!`.
    static func decoded(
        _ pieces: [ArraySlice<UInt8>], at role: WebSocketRole = .client, limit: Int = 1 << 20
    ) -> [String] {
        var decoder = FrameDecoder(role: role, limit: limit)
        var words: [String] = []
        for piece in pieces {
            var input = piece
            words += Self.words(&decoder, &input)
            if let last = words.last, last.hasPrefix("!") || last.hasPrefix("X") { break }
        }
        return words
    }

    /// Decodes the input to words until a close frame or a fault.
    static func words(_ decoder: inout FrameDecoder, _ input: inout ArraySlice<UInt8>) -> [String] {
        var words: [String] = []
        do throws(ProtocolFault) {
            while let incoming = try decoder.next(&input) {
                words.append(word(incoming))
                if case .close = incoming { break }
            }
        } catch {
            words.append("!\(error.reason)")
        }
        return words
    }

    private static func word(_ incoming: FrameDecoder.Incoming) -> String {
        switch incoming {
        case .message(.text(let bytes)): "T:" + String(decoding: bytes, as: UTF8.self)
        case .message(.binary(let bytes)): "B:" + String(decoding: bytes, as: UTF8.self)
        case .ping(let bytes): "P:" + String(decoding: bytes, as: UTF8.self)
        case .pong(let bytes): "O:" + String(decoding: bytes, as: UTF8.self)
        case .close(let code, let reason): "X:\(code.rawValue)\(reason)"
        }
    }
}
