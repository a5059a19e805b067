import Foundation
@testable import SendspinProtocol
import SendspinSecurity
import SendspinSupport
import Testing

@Suite struct BinaryTests {
    // MARK: Audio

    @Test func headersHave13And9Bytes() throws {
        let chunk = AudioChunk(
            timestamp: .microseconds(0x0102_0304), sendAhead: .microseconds(500), payload: [9, 8, 7])
        #expect(chunk.bytes(.encrypted) == [4, 0, 0, 0, 0, 1, 2, 3, 4, 0, 0, 1, 0xF4, 9, 8, 7])
        #expect(chunk.bytes(.legacy) == [4, 0, 0, 0, 0, 1, 2, 3, 4, 9, 8, 7])
        #expect(try AudioChunk(parsing: chunk.bytes(.encrypted), .encrypted) == chunk)
        let legacy = try AudioChunk(parsing: chunk.bytes(.legacy), .legacy)
        #expect(legacy.sendAhead == nil)
        #expect(legacy.payload == [9, 8, 7])
    }

    @Test(arguments: [0, UInt32.max]) func saturatedLeadIsUnknown(ahead: UInt32) throws {
        var bytes = AudioChunk(timestamp: .seconds(1), sendAhead: nil, payload: [1]).bytes(.encrypted)
        for index in 9..<13 { bytes[index] = UInt8(ahead >> 24) }
        #expect(try AudioChunk(parsing: bytes, .encrypted).sendAhead == nil)
    }

    @Test(arguments: [Int64.min, -1, 0, .max]) func timestampsHave64Bits(time: Int64) throws {
        let chunk = AudioChunk(timestamp: .microseconds(time), sendAhead: nil, payload: [1])
        #expect(try AudioChunk(parsing: chunk.bytes(.encrypted), .encrypted).timestamp == .microseconds(time))
    }

    @Test func chunkWithoutAudioIsAFault() {
        for count in 1...13 {
            let bytes = [4] + [UInt8](repeating: 0, count: count - 1)
            #expect(throws: WireFault.badLength(type: 4, byteCount: count)) {
                try AudioChunk(parsing: bytes, .encrypted)
            }
        }
        #expect(throws: WireFault.badLength(type: 4, byteCount: 9)) {
            try AudioChunk(parsing: [4] + [UInt8](repeating: 0, count: 8), .legacy)
        }
    }

    // MARK: Artwork

    @Test(arguments: [
        ArtworkMessage.announcement(channel: 3, timestamp: .microseconds(-5), size: 0xFFFF_FFFF),
        .part(channel: 0, data: [1, 2]), .part(channel: 1, data: []), .cancellation(channel: 2),
    ]) func artworkSurvivesItsBytes(message: ArtworkMessage) throws {
        #expect(try ArtworkMessage(parsing: message.bytes, .encrypted) == message)
    }

    @Test func legacyImageIsOneMessage() throws {
        let image = ArtworkMessage.image(channel: 1, timestamp: .seconds(1), data: [5])
        #expect(try ArtworkMessage(parsing: image.bytes, .legacy) == image)
        #expect(throws: WireFault.badLength(type: 8, byteCount: 8)) {
            try ArtworkMessage(parsing: [8] + [UInt8](repeating: 0, count: 7), .legacy)
        }
    }

    @Test func malformedArtworkIsAFault() {
        let cases: [([UInt8], WireFault)] = [
            ([8], .badLength(type: 8, byteCount: 1)), ([8, 1, 0], .badLength(type: 8, byteCount: 3)),
            ([9, 2, 0], .badLength(type: 9, byteCount: 3)), ([8, 3], .badFlags(type: 8, flags: 3)),
            ([8, 4], .badFlags(type: 8, flags: 4)), ([7, 0], .badLength(type: 7, byteCount: 2)),
            ([], .badLength(type: 0, byteCount: 0)),
            ([8] + [UInt8](repeating: 0, count: 65519), .badLength(type: 8, byteCount: 65520)),
        ]
        for (bytes, fault) in cases {
            #expect(throws: fault) { try ArtworkMessage(parsing: bytes, .encrypted) }
        }
    }

    // MARK: Visualizer

    @Test func visualizerFramesSurviveTheirBytes() throws {
        var frame = VisualizerFrame(timestamp: .microseconds(-5), loudness: 0x0102, isDownbeat: true, peak: 255)
        frame.strongest = VisualizerFrame.Tone(frequency: 440, level: 0xFFFF)
        frame.spectrum = [0, 1, 0xFFFF]
        let messages = frame.messages
        #expect(messages.map { $0[0] } == [16, 17, 18, 19, 20])
        #expect(messages[0] == [16, 255, 255, 255, 255, 255, 255, 255, 251, 1, 2])
        var joined = VisualizerFrame(timestamp: frame.timestamp)
        for message in messages { joined.merge(try VisualizerFrame(parsing: message)) }
        #expect(joined == frame)
    }

    @Test func reservedBitsOfABeatAreIgnored() throws {
        let time = [UInt8](repeating: 0, count: 8)
        #expect(try VisualizerFrame(parsing: [17] + time + [0xFE]).isDownbeat == false)
        #expect(try VisualizerFrame(parsing: [17] + time + [0xFF]).isDownbeat == true)
        // Without a frequency, there is no level either.
        #expect(
            try VisualizerFrame(parsing: [18] + time + [0, 0, 9, 9]).strongest
                == VisualizerFrame.Tone(frequency: 0, level: 0))
    }

    @Test(arguments: [(16, 2), (17, 1), (18, 4), (20, 1)] as [(UInt8, Int)])
    func visualizerDataOfAnotherLengthAreAFault(type: UInt8, count: Int) {
        for other in 0...9 where other != count {
            let message = [type] + [UInt8](repeating: 0, count: 8 + other)
            #expect(throws: WireFault.badLength(type: type, byteCount: 9 + other)) {
                try VisualizerFrame(parsing: message)
            }
        }
    }

    @Test func malformedVisualizerMessagesAreFaults() {
        for message in [[], [16], [15] + [UInt8](repeating: 0, count: 10), [19] + [UInt8](repeating: 0, count: 8 + 3)]
            as [[UInt8]]
        {
            #expect(throws: WireFault.badLength(type: message.first ?? 0, byteCount: message.count)) {
                try VisualizerFrame(parsing: message)
            }
        }
    }

    // MARK: Base64

    @Test func base64AgreesWithRFC4648() {
        let texts = ["": "", "f": "Zg==", "fo": "Zm8=", "foo": "Zm9v", "foob": "Zm9vYg==", "fooba": "Zm9vYmE="]
        for (plain, encoded) in texts {
            #expect(StandardBase64.encode(Array(plain.utf8)) == encoded)
            #expect(StandardBase64.decode(encoded) == Array(plain.utf8))
        }
        let all = (0...255).map { UInt8($0) }
        #expect(StandardBase64.decode(StandardBase64.encode(all)) == all)
        for count in 0...100 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 250) }
            #expect(StandardBase64.encode(bytes) == Data(bytes).base64EncodedString())
            #expect(StandardBase64.decode(StandardBase64.encode(bytes)) == bytes)
        }
    }

    @Test(arguments: [
        "A", "AA", "AA=", "AB==", "AAA", "-_8=", "AA==A", "AA== ", "Zg=", "Zg", "Z===", "====", "Zh==", "Zm9=", "Zm 9v",
        "Zm-_", "Zg==Zg==", "=", "é===",
    ])
    func malformedBase64IsRejected(text: String) { #expect(StandardBase64.decode(text) == nil) }
}
