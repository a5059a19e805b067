@testable import SendspinProtocol
import Testing

/// Letters are transport messages: first fragment `F`, last `L`, middle `C`, first and last `S`, no fragment `m`.
@Suite struct FragmentTests {
    private func run(_ drawing: String, limit: Int = 1000) throws(WireFault) -> [[UInt8]] {
        var assembler = FragmentAssembler(limit: limit)
        var messages: [[UInt8]] = []
        for (index, letter) in drawing.enumerated() {
            let data = UInt8(index)
            let plaintext: [UInt8]
            switch letter {
            case "F": plaintext = [1, 2, 4, data]
            case "L": plaintext = [1, 1, data]
            case "C": plaintext = [1, 0, data]
            case "S": plaintext = [1, 3, 4, data]
            default: plaintext = [4, data]
            }
            if let message = try assembler.add(plaintext) { messages.append(message) }
        }
        return messages
    }

    @Test func fragmentsAreJoined() throws {
        #expect(try run("FL") == [[4, 0, 1]])
        #expect(try run("FCCL") == [[4, 0, 1, 2, 3]])
        #expect(try run("S") == [[4, 0]])
        #expect(try run("mFLmFCL") == [[4, 0], [4, 1, 2], [4, 3], [4, 4, 5, 6]])
    }

    @Test func violationsOfTheOrderAreFaults() {
        #expect(throws: WireFault.badFragment("a fragment continues no message")) { try run("C") }
        #expect(throws: WireFault.badFragment("a fragment continues no message")) { try run("FLL") }
        #expect(throws: WireFault.badFragment("a message interrupts a fragmented one")) { try run("Fm") }
        #expect(throws: WireFault.badFragment("a fragmented message starts inside another one")) { try run("FF") }
    }

    @Test func malformedFragmentsAreFaults() {
        let cases: [([UInt8], WireFault)] = [
            ([], .badFragment("a transport message is empty")), ([1], .badLength(type: 1, byteCount: 1)),
            ([1, 2], .badLength(type: 1, byteCount: 2)), ([1, 6, 4], .badFlags(type: 1, flags: 6)),
            ([1, 2, 1], .badFragment("a fragment contains fragments")),
        ]
        for (plaintext, fault) in cases {
            #expect(throws: fault) {
                var assembler = FragmentAssembler(limit: 10)
                _ = try assembler.add(plaintext)
            }
        }
    }

    @Test func joinedMessageIsLimited() {
        #expect(throws: WireFault.tooLong(byteCount: 6, limit: 5)) { try run("FCCCCC", limit: 5) }
        #expect(throws: Never.self) { try run("FCCL", limit: 5) }
    }

    @Test(arguments: [1, 2, 65519, 65520, 65521, 131_033, 200_000]) func splitMessagesAreJoined(count: Int) throws {
        let message = [UInt8(4)] + (1..<max(count, 2)).map { UInt8(truncatingIfNeeded: $0) }
        let parts = Fragments.split(message)
        var assembler = FragmentAssembler(limit: 300_000)
        var joined: [UInt8]?
        for (index, part) in parts.enumerated() {
            #expect(part.count <= Fragments.plaintextLimit)
            joined = try assembler.add(part)
            #expect((joined != nil) == (index == parts.count - 1))
        }
        #expect(joined == message)
        #expect(assembler.pendingByteCount == 0)
        #expect((parts.count == 1) == (message.count <= Fragments.plaintextLimit))
    }
}
