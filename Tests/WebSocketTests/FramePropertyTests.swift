import TestSupport
import Testing

@testable import WebSocket

@Suite struct FramePropertyTests {
    @Test(arguments: [0, 1, 125, 126, 127, 65535, 65536, 70000], [WebSocketRole.client, .server])
    func framesOfEveryLengthRoundTrip(length: Int, receiver: WebSocketRole) throws {
        var random = Random(seed: UInt64(length))
        let payload = random.bytes(length)
        let mask = receiver == .server ? MaskKey(value: UInt32.random(in: 0 ... .max, using: &random)) : nil
        var bytes: [UInt8] = []
        FrameEncoder.append(.binary, payload, mask: mask, to: &bytes)
        #expect(bytes.count == FrameEncoder.size(length, isMasked: mask != nil))
        var decoder = FrameDecoder(role: receiver, limit: length)
        var input = bytes[...]
        #expect(try decoder.next(&input) == .message(.binary(payload)))
        #expect(input.isEmpty)
    }

    /// Random frames, most of which are valid, with some changed bytes.
    private static func hostileBytes(_ random: inout Random) -> [UInt8] {
        var bytes: [UInt8] = []
        for _ in 0..<Int.random(in: 1...6, using: &random) {
            let opcode = [Opcode.text, .binary, .continuation, .ping, .pong, .close].randomElement(using: &random)
            let length = [0, 1, 2, 125, 126, 300].randomElement(using: &random) ?? 0
            let payload = Bool.random(using: &random) ? random.bytes(length) : Array(repeating: 0x61, count: length)
            FrameEncoder.append(
                opcode ?? .text, payload, mask: nil, isFinal: Int.random(in: 0..<3, using: &random) > 0, to: &bytes)
        }
        for _ in 0..<Int.random(in: 0...3, using: &random) where !bytes.isEmpty {
            bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0 ... .max, using: &random)
        }
        return bytes
    }

    @Test func hostileFramesHaveTheSameResultInAnyPieces() {
        var random = Random(seed: 6455)
        var outcomes: [String: Int] = [:]
        for _ in 0..<10_000 {
            let bytes = Self.hostileBytes(&random)
            let whole = DrawnFrames.decoded([bytes[...]], limit: 500)
            #expect(DrawnFrames.decoded(random.pieces(of: bytes, atMost: 40), limit: 500) == whole)
            #expect(whole.allSatisfy { $0.utf8.count <= 3 * 500 + 2 })
            outcomes[whole.last.map { String($0.prefix(1)) } ?? "none", default: 0] += 1
        }
        // The random frames must result in messages, control frames and faults.
        for outcome in ["T", "B", "P", "O", "X", "!"] { #expect(outcomes[outcome, default: 0] > 50, "\(outcomes)") }
    }

    @Test func validatesUTF8AsTheStandardLibraryDoes() {
        var random = Random(seed: 3629)
        let characters = [
            "a", "\u{7F}", "\u{80}", "ÿ", "\u{7FF}", "\u{800}", "\u{D7FF}", "\u{E000}", "\u{FFFF}", "😀", "\u{10FFFF}",
        ]
        var validCount = 0
        for _ in 0..<20_000 {
            var bytes = (0..<3).flatMap { _ in Array(characters.randomElement(using: &random)?.utf8 ?? "".utf8) }
            if Bool.random(using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0x70 ... .max, using: &random)
            }
            if Int.random(in: 0..<4, using: &random) == 0 { bytes.removeLast() }
            let text = String(validating: bytes, as: UTF8.self)
            let expected = [text.map { "T:" + $0 } ?? "!a text message is not UTF-8"]
            var frame: [UInt8] = []
            FrameEncoder.append(.text, bytes, mask: nil, to: &frame)
            #expect(DrawnFrames.decoded([frame[...]]) == expected, "\(bytes)")
            #expect(DrawnFrames.decoded(frame.indices.map { frame[$0...$0] }) == expected, "\(bytes)")
            validCount += text == nil ? 0 : 1
        }
        #expect((5_000...15_000).contains(validCount))
    }

    @Test func cutsALongReasonBetweenCharacters() {
        let payload = FrameEncoder.closePayload(.normal, reason: String(repeating: "€", count: 60))
        #expect(payload.count == 2 + 41 * 3)
        #expect(String(validating: payload[2...], as: UTF8.self) != nil)
        #expect(FrameEncoder.closePayload(.noStatus, reason: "never sent").isEmpty)
    }

    @Test func queueOfSentBytesKeepsLittleMemory() {
        var queue = OutgoingBytes()
        var capacity = 0
        for round in 0..<2000 {
            queue.append { $0.append(contentsOf: [UInt8](repeating: UInt8(truncatingIfNeeded: round), count: 1000)) }
            // The peer begins to read later, and never reads all bytes.
            if round > 8 { queue.remove(1000) }
            capacity = max(capacity, queue.heldCapacity)
        }
        #expect(queue.count == 9000)
        #expect(queue.unsent.first == UInt8(truncatingIfNeeded: 1991))
        #expect(capacity <= 64_000)
        queue.append { $0.append(contentsOf: [UInt8](repeating: 0, count: 1 << 20)) }
        queue.removeAll()
        #expect(queue.heldCapacity <= 1 << 17)
    }
}
