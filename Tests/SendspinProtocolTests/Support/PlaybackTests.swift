import SendspinSupport
@testable import SendspinProtocol
import Testing
import Threads

@Suite struct PlaybackTests {
    @Test(arguments: [Dialect.encrypted, .legacy], [16, 24])
    func pcmArrivesWithoutGapsAndInTime(_ dialect: Dialect, _ bitDepth: Int) throws {
        var settings = PeerSettings()
        settings.allowsLegacy = true
        let server = try FakeServer(settings)
        let client = try FakeClient(server, dialect: dialect)
        try client.join()
        let start = server.play(.pcm(bitDepth: bitDepth, length: 30_100), lead: .milliseconds(300))
        #expect(client.receive { $0.outline.last == "stream/end" || $0.chunks.count == 26 })
        let pcm = client.chunks.flatMap(\.payload)
        #expect(RampSignal.indices(pcm: pcm, bitDepth: bitDepth) == (0..<30_100).map { $0 })
        for (number, chunk) in client.chunks.enumerated() {
            #expect(chunk.timestamp == start + .milliseconds(25 * number))
            #expect((chunk.sendAhead != nil) == (dialect == .encrypted))
        }
        #expect(client.receive { $0.outline.last == "group/update" && $0.outline.contains("stream/end") })
        let expected = ["group/update", "stream/start", "chunk", "stream/end", "group/update"]
        #expect(client.outline.suffix(5) == expected[...])
        #expect(server.violations == [])
        #expect(server.report.chunkCount == 26)
    }

    @Test func flacAndOpusArriveInTheirChunks() throws {
        let opus = try #require(OpusPackets.sine(seconds: 1))
        let server = try FakeServer()
        let client = try FakeClient(server)
        try client.join()
        let stream = FakeStream.flac(blockSize: 480, blocksPerChunk: 4, length: 5_000)
        let start = server.play(stream, lead: .milliseconds(200))
        #expect(client.receive { $0.chunks.count == 3 })
        let writer = FLACWriter(blockSize: 480)
        let blocks = stride(from: Int64(0), to: 5_000, by: 480).enumerated().map {
            writer.block($0, $1..<min($1 + 480, 5_000), of: .ramp)
        }
        #expect(client.chunks.flatMap(\.payload) == blocks.flatMap { $0 })
        #expect(client.chunks.map { ($0.timestamp - start) / .milliseconds(1) } == [0, 40, 80])
        let header = client.messages.compactMap { if case .streamStart(let start) = $0 { start.player } else { nil } }
        #expect(header.first?.codecHeader == writer.header)
        #expect(client.receive { $0.outline.last == "group/update" })

        client.items = []
        server.play(.opus(opus, length: 960 * 60), lead: .milliseconds(200))
        #expect(client.receive { $0.chunks.count == 60 })
        #expect(client.chunks.map { Array($0.payload) } == (0..<60).map { opus.packets[$0 % opus.packets.count] })
        #expect(server.violations == [])
    }

    @Test func formatChangesWithoutAGap() throws {
        let server = try FakeServer()
        let client = try FakeClient(server)
        try client.join()
        server.setSendAhead(.milliseconds(400))
        let start = server.play(.pcm(), lead: .milliseconds(200))
        #expect(client.receive { $0.chunks.count == 5 })
        let change = try #require(server.change(to: .pcm(bitDepth: 24, length: 4_800)))
        #expect(client.receive { $0.outline.last == "stream/end" })
        let place = try #require(client.items.lastIndex { if case .message(.streamStart) = $0 { true } else { false } })
        let count = client.items[..<place].count { if case .chunk = $0 { true } else { false } }
        #expect(change.firstIndex == Int64(count) * 1_200)
        #expect(change.start == start + .milliseconds(25 * count))
        let indices =
            RampSignal.indices(pcm: client.chunks[..<count].flatMap(\.payload), bitDepth: 16)
            + RampSignal.indices(pcm: client.chunks[count...].flatMap(\.payload), bitDepth: 24)
        #expect(indices == (0..<change.firstIndex + 4_800).map { $0 })
        #expect(client.chunks[count].timestamp == change.start)
        #expect(client.outline.count { $0 == "stream/clear" } == 0)
    }

    @Test func newPositionClearsTheStream() throws {
        let server = try FakeServer()
        let client = try FakeClient(server)
        try client.join()
        // Chunks whose time has passed are not sent.
        server.setSendAhead(.seconds(90))
        server.play(.pcm(), lead: .seconds(60))
        #expect(client.receive { $0.chunks.count == 3 })
        let start = server.play(.pcm(), lead: .seconds(60), firstIndex: 1_000_000)
        #expect(client.receive { $0.outline.suffix(2) == ["stream/clear", "chunk"] })
        let chunk = try #require(client.chunks.last)
        #expect(chunk.timestamp == start)
        #expect(RampSignal.indices(pcm: chunk.payload, bitDepth: 16).first == 1_000_000)
        server.play(.flac(), lead: .seconds(60))
        #expect(client.receive { $0.outline.suffix(3) == ["stream/clear", "stream/start", "chunk"] })
        server.end()
        #expect(client.receive { $0.outline.suffix(2) == ["stream/end", "group/update"] })
        #expect(!server.isPlaying)
    }

    @Test func bufferOfTheClientIsNotOverfilled() throws {
        let server = try FakeServer()
        server.setSendAhead(.seconds(60))
        let client = try FakeClient(server)
        try client.join(.player(capacity: 48_000))
        let start = server.play(.pcm(length: 48_000 * 60), lead: .milliseconds(300))
        #expect(client.receive { $0.chunks.count == 14 })
        // Ten chunks of 4800 bytes fill the buffer. The server sends the next chunk when the first chunk has played.
        for (number, chunk) in client.chunks.enumerated() {
            let transmitted = chunk.timestamp - (try #require(chunk.sendAhead))
            #expect(number < 10 || transmitted >= start + .milliseconds(25 * (number - 9)))
        }
    }

    @Test func lateClientJoinsTheStreamInTime() throws {
        let server = try FakeServer()
        let start = server.play(.pcm(), lead: .zero)
        let clients = try (0..<2).map { _ in try FakeClient(server) }
        for client in clients {
            try client.join()
            #expect(client.receive { $0.chunks.count == 4 })
            let first = try #require(client.chunks.first)
            #expect(try #require(first.sendAhead) > .milliseconds(100))
            let index = try #require(RampSignal.indices(pcm: first.payload, bitDepth: 16).first ?? nil)
            #expect(first.timestamp == start + .microseconds(index * 1_000_000 / 48_000))
        }
        withExtendedLifetime(clients) { #expect(server.openCount == 2) }
    }

    @Test func unavailableClientReceivesNoAudio() throws {
        let server = try FakeServer()
        let client = try FakeClient(server)
        try client.open()
        try client.synchronize()
        client.send(.state(ClientState(isAvailable: false, player: PlayerReport())))
        server.play(.pcm(), lead: .milliseconds(100))
        try client.synchronize(5)
        #expect(client.chunks.isEmpty)
        client.send(.state(.ready))
        #expect(client.receive { !$0.chunks.isEmpty })
        #expect(server.violations == [])
    }
}
