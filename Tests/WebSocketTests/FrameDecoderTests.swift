import Testing

@testable import WebSocket

@Suite struct FrameDecoderTests {
    @Test(arguments: [
        ("T:Hello", "T:Hello"),
        ("T", "T:"),
        ("T-:Hel C:lo", "T:Hello"),
        ("B-:a C- C-:b C-:c C", "B:abc"),
        ("T-:Hel P:now C:lo", "P:now T:Hello"),
        ("P O:x T-:a P:1 C-:b O:2 C:c B:d", "P: O:x P:1 O:2 T:abc B:d"),
        ("T-:a X:1000bye", "X:1000bye"),
        ("X", "X:1005"),
        ("X:3000 T:ignored", "X:3000"),
        ("C:a", "!a fragment continues no message"),
        ("T:a C:b", "T:a !a fragment continues no message"),
        ("T-:a T:b", "!a message begins inside another one"),
        ("B-:a B-:b", "!a message begins inside another one"),
        ("P-:a", "!a control frame is fragmented"),
        ("X-:1000", "!a control frame is fragmented"),
        ("X:1005", "!a close frame has an invalid code or reason"),
        ("X:1006", "!a close frame has an invalid code or reason"),
        ("X:1015", "!a close frame has an invalid code or reason"),
        ("X:0999", "!a close frame has an invalid code or reason"),
        ("X:2999", "!a close frame has an invalid code or reason"),
        ("X:5000", "!a close frame has an invalid code or reason"),
        ("X:a", "!a close frame has an invalid code or reason"),
    ])
    func assemblesMessagesAroundControlFrames(drawing: String, expected: String) {
        for fromClient in [false, true] {
            let bytes = DrawnFrames.bytes(drawing, fromClient: fromClient)
            let role: WebSocketRole = fromClient ? .server : .client
            #expect(DrawnFrames.decoded([bytes[...]], at: role).joined(separator: " ") == expected)
            let single = bytes.indices.map { bytes[$0...$0] }
            #expect(DrawnFrames.decoded(single, at: role).joined(separator: " ") == expected)
        }
    }

    /// The examples of RFC 6455, section 5.7.
    @Test(arguments: [
        (WebSocketRole.client, [0x81, 0x05, 0x48, 0x65, 0x6C, 0x6C, 0x6F], "T:Hello"),
        (.server, [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58], "T:Hello"),
        (.client, [0x01, 0x03, 0x48, 0x65, 0x6C, 0x80, 0x02, 0x6C, 0x6F], "T:Hello"),
        (.server, [0x8A, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58], "O:Hello"),
    ])
    func decodesTheExamplesOfTheSpecification(role: WebSocketRole, bytes: [UInt8], expected: String) {
        #expect(DrawnFrames.decoded([bytes[...]], at: role) == [expected])
    }

    @Test(arguments: [
        (WebSocketRole.client, [0xC1, 0x00], ProtocolFault.reservedBits),
        (.client, [0xA1, 0x00], .reservedBits),
        (.client, [0x91, 0x00], .reservedBits),
        (.client, [0x83, 0x00], .reservedOpcode(3)),
        (.client, [0x8F, 0x00], .reservedOpcode(15)),
        (.client, [0x81, 0x80, 1, 2, 3, 4], .maskUnexpected),
        (.server, [0x81, 0x00], .maskMissing),
        (.client, [0x82, 126, 0, 125], .longLength),
        (.client, [0x82, 127, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], .longLength),
        (.client, [0x82, 127, 0x80, 0, 0, 0, 0, 0, 0, 0], .lengthOverflow),
        (.client, [0x82, 127, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], .messageTooLarge(limit: 1 << 20)),
        (.client, [0x82, 127, 0, 0, 0, 0, 0, 0x10, 0, 1], .messageTooLarge(limit: 1 << 20)),
        (.client, [0x89, 126, 0, 126], .longControl(126)),
        (.client, [0x81, 0x01, 0xFF], .invalidText),
        (.client, [0x81, 0x02, 0xC3, 0x28], .invalidText),
        (.client, [0x81, 0x01, 0xC3], .invalidText),
        (.client, [0x88, 0x03, 0x03, 0xE8, 0xFF], .invalidClose),
    ])
    func refusesInvalidFrames(role: WebSocketRole, bytes: [UInt8], fault: ProtocolFault) {
        #expect(DrawnFrames.decoded([bytes[...]], at: role) == ["!\(fault.reason)"])
        #expect(fault.code.isValidOnWire)
        #expect(FrameEncoder.closePayload(fault.code, reason: fault.reason).count == 2 + fault.reason.utf8.count)
    }

    @Test func limitsTheSumOfFragments() {
        let bytes = DrawnFrames.bytes("T-:abc C-:de C:f B:ghijk")
        #expect(DrawnFrames.decoded([bytes[...]], limit: 6) == ["T:abcdef", "B:ghijk"])
        #expect(DrawnFrames.decoded([bytes[...]], limit: 5) == ["!a message has more than 5 bytes"])
    }

    @Test func acceptsCharactersThatFragmentsDivide() {
        let text = Array("a€😀".utf8)
        var bytes: [UInt8] = []
        for (index, byte) in text.enumerated() {
            FrameEncoder.append(
                index == 0 ? .text : .continuation, [byte], mask: nil, isFinal: index == text.count - 1, to: &bytes)
        }
        #expect(DrawnFrames.decoded([bytes[...]]) == ["T:a€😀"])
    }

    @Test func reservesNoMemoryForAnnouncedBytes() throws {
        var decoder = FrameDecoder(role: .client, limit: 1 << 30)
        var input: ArraySlice<UInt8> = [0x82, 127, 0, 0, 0, 0, 0x3F, 0, 0, 0, 1]
        #expect(try decoder.next(&input) == nil)
        #expect(decoder.heldCapacity <= 1 << 17)
    }
}
