import JSON
import SendspinSupport
@testable import SendspinProtocol
import Testing

/// Tests properties of all inputs that the parsers accept.
@Suite struct AcceptanceTests {
    /// If a mutated message is accepted, writing and parsing it again gives the same message.
    @Test(arguments: Samples.server) func acceptedServerMessagesSurviveTheirText(sample: ServerMessage) throws {
        var mutations = Mutations(seed: 1)
        var accepted = 0
        for _ in 0..<10_000 {
            let value = mutations.value(sample.json)
            guard let message = try? ServerMessage(parsing: value) else { continue }
            accepted += 1
            let again = try ServerMessage(parsing: message.json)
            if again != message { Issue.record("\(value.text()) → \(message.json.text())") }
        }
        #expect(accepted > 100)
    }

    @Test(arguments: Samples.client) func acceptedClientMessagesSurviveTheirText(sample: ClientMessage) throws {
        var mutations = Mutations(seed: 2)
        for _ in 0..<3000 {
            let value = mutations.value(sample.json())
            guard let message = try? ClientMessage(parsing: value) else { continue }
            let again = try ClientMessage(parsing: message.json(message.dialect))
            if again != message { Issue.record("\(value.text()) → \(message.json().text())") }
        }
    }

    @Test func acceptedBinariesSurviveTheirBytes() throws {
        let artwork = ArtworkMessage.announcement(channel: 1, timestamp: .seconds(5), size: 9)
        let chunk = AudioChunk(timestamp: .seconds(5), sendAhead: .seconds(1), payload: [1, 2, 3])
        var mutations = Mutations(seed: 3)
        var accepted = 0
        for _ in 0..<20_000 {
            for dialect in [Dialect.encrypted, .legacy] {
                let bytes = mutations.bytes(chunk.bytes(dialect))
                if let parsed = try? AudioChunk(parsing: bytes, dialect) {
                    accepted += 1
                    #expect(try AudioChunk(parsing: parsed.bytes(dialect), dialect) == parsed)
                }
                let image = mutations.bytes(artwork.bytes)
                if let parsed = try? ArtworkMessage(parsing: image, dialect) {
                    accepted += 1
                    #expect(try ArtworkMessage(parsing: parsed.bytes, dialect) == parsed)
                }
            }
        }
        #expect(accepted > 10_000)
    }

    /// For any input, the assembler stores at most as many bytes as its limit permits.
    @Test func mutatedFragmentsAreBounded() {
        let seeds: [[UInt8]] = [[1, 2, 4, 5, 6, 7], [1, 0, 8, 9, 9], [1, 1, 3], [1, 3, 4, 5], [4, 5]]
        var mutations = Mutations(seed: 4)
        var assembler = FragmentAssembler(limit: 64)
        var (messages, faults) = (0, 0)
        for _ in 0..<50_000 {
            let seed = seeds[mutations.below(seeds.count)]
            do throws(WireFault) {
                if let message = try assembler.add(mutations.below(3) == 0 ? mutations.bytes(seed) : seed) {
                    messages += 1
                    if message.isEmpty { Issue.record("a message without a type") }
                }
            } catch {
                faults += 1
                assembler = FragmentAssembler(limit: 64)
            }
            if assembler.pendingByteCount > 64 { Issue.record("\(assembler.pendingByteCount) bytes") }
        }
        #expect(messages > 1000 && faults > 1000)
    }
}

extension ClientMessage {
    /// Dialect in which the message has all of its fields.
    fileprivate var dialect: Dialect {
        if case .hello(let hello) = self, hello.legacy != nil { .legacy } else { .encrypted }
    }
}
