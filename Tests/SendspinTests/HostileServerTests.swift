import CGStreamer
import Foundation
import GstTestSupport
import JSON
import TestSupport
import SendspinSupport
@testable import SendspinProtocol
import Testing
import Threads

/// Tests players with servers that violate the protocol.
@Suite(.serialized) struct HostileServerTests {
    /// A player ignores an attack or closes the connection, and plays as before when it is started again.
    @Test(arguments: AttackGenerator.Kind.allCases, [true, false])
    func survivesAnAttack(kind: AttackGenerator.Kind, isPlaying: Bool) throws {
        let rig = try SendspinRig("fakesink name=s sync=false")
        var attacks = AttackGenerator(seed: 7)
        let memory = Self.residentMegabytes
        for _ in 0..<2 {
            try #require(rig.start())
            if isPlaying {
                rig.server.play(.flac(), lead: .milliseconds(300))
                #expect(eventually { rig.statistic("chunks") > 0 })
            }
            let exchanges = rig.server.report.exchangeCount
            rig.server.attack((0..<100).map { _ in attacks.next(kind) })
            // A time exchange after the attack shows that the player has processed the attack.
            #expect(
                rig.server.wait { $0.last?.closure != nil || $0.last.map { $0.exchangeCount > exchanges + 8 } == true })
            gst_element_set_state(rig.pipeline.raw, GST_STATE_NULL)
            #expect(rig.server.wait { $0.last?.closure != nil })
            rig.server.end()
        }
        for report in rig.server.reports {
            // The player must close a connection with a close frame.
            guard case .byPeer? = report.closure else {
                Issue.record("the connection ended without a close frame: \(String(describing: report.closure))")
                continue
            }
        }
        #expect(Self.residentMegabytes - memory < 200)
        try #require(rig.start())
        rig.recorder.clear()
        rig.server.play(.pcm(), lead: .seconds(1), firstIndex: 1_000_000)
        #expect(eventually { rig.indices.contains { ($0 ?? 0) > 1_000_000 } })
        #expect(!rig.bus.texts.contains { $0.hasPrefix("error") })
    }

    /// With `LONG_TESTS=1`, the players receive ten thousand messages of each kind in each state.
    @Test(arguments: AttackGenerator.Kind.allCases, ["idle", "playing"])
    func memoryDoesNotGrowUnderAttack(kind: AttackGenerator.Kind, state: String) throws {
        let count = Setup.isLong ? 10_000 : 100
        let run = try SendspinProbe("hostile", Setup.newFolder().path, "\(kind)", state, "\(count)")
            .run(within: Setup.isLong ? .seconds(3_600) : patience)
        try #require(run.status == 0, "\(run.output.suffix(2_000))")
        let growth = try #require(Self.number(after: "growth: ", in: run.output))
        #expect(growth < 16_000, "\(run.output)")
        #expect(try #require(Self.number(after: "\(state): ", in: run.output)) >= count)
    }

    /// With a new format for each chunk, the player replaces the decoder for each chunk.
    @Test func playerSurvivesAFormatForEachChunk() throws {
        let rig = try SendspinRig(playingWith: "")
        try #require(rig.start())
        rig.server.play(.pcm(), lead: .milliseconds(700))
        try #require(rig.hasBytes(1))
        var attacks = AttackGenerator(seed: 1)
        rig.server.attack((0..<80).map { _ in attacks.next(.formats) })
        #expect(eventually { rig.pipeline.statistic("formats", of: "source") >= 40 })
        rig.server.play(.pcm(), lead: .seconds(1), firstIndex: 1_000_000)
        rig.recorder.clear()
        #expect(rig.hasBytes(200_000))
        #expect(!rig.bus.texts.contains { $0.hasPrefix("error") })
    }

    /// Each chunk takes memory in addition to its bytes, so 4 MiB of chunks of one frame would take a gigabyte.
    @Test func memoryOfTinyChunksIsBounded() throws {
        let run = try SendspinProbe("tiny-chunks", Setup.newFolder().path).run()
        try #require(run.status == 0, "\(run.output)")
        let growth = try #require(Self.number(after: "growth: ", in: run.output))
        // The buffer holds 4 MiB of audio, and its limit of memory is 8 MiB.
        #expect(growth < 10_000, "\(run.output)")
    }

    /// Each change of the stream flushes the pipeline, after which the elements downstream post messages.
    @Test(arguments: [
        [ServerMessage.streamClear(StreamScope(families: ["player"]))],
        [
            .streamStart(StreamStart(serverTransmitted: .seconds(1), player: FakeStream.pcm().start)),
            .streamEnd(StreamScope()),
        ],
        [
            .activation(ServerActivation(activities: [], roles: [])),
            .activation(ServerActivation(activities: [.playback], roles: ["player@v1"])),
        ],
    ])
    func serverThatChangesItsStreamsWithoutEndIsClosed(messages: [ServerMessage]) throws {
        let rig = try SendspinRig()
        try #require(rig.start())
        rig.server.play(.pcm(), lead: .milliseconds(300))
        try #require(rig.hasBytes(1))
        let texts = messages.map { Attack.json($0.json.bytes) }
        // The player permits one more change every five seconds, so a slow machine requires more changes.
        while rig.server.report.closure == nil {
            let exchanges = rig.server.report.exchangeCount
            rig.server.attack(Array(repeating: texts, count: 100).flatMap { $0 })
            #expect(
                rig.server.wait { $0.last?.closure != nil || $0.last.map { $0.exchangeCount > exchanges + 8 } == true })
        }
        #expect(rig.bus.has("warning", "too often"))
        #expect(rig.bus.texts("element: sendspin-stream-start").count < 200)
    }

    @Test func bufferIsBoundedWhateverTheServerSends() throws {
        let rig = try SendspinRig(SendspinRig.decoding, "buffer-capacity=65536")
        try #require(rig.start())
        rig.server.play(.pcm(), lead: .seconds(5))
        #expect(rig.bus.has("element: sendspin-stream-start"))
        let now = rig.server.clock.time(at: MonotonicClock.now)
        for number in 0..<200 {
            let chunk = AudioChunk(
                timestamp: now + .seconds(60) + .milliseconds(25 * number), sendAhead: .zero,
                payload: [UInt8](repeating: 1, count: 4_800)[...])
            rig.server.send(binary: chunk.bytes(.encrypted))
        }
        #expect(eventually { rig.statistic("refused") > 100 })
        #expect(rig.statistic("buffer-bytes") <= 65_536)
    }

    @Test func formatThatWasNotOfferedIsIgnored() throws {
        let rig = try SendspinRig()
        try #require(rig.start())
        var stream = FakeStream.pcm()
        stream.format.bitDepth = 20
        rig.server.send(.streamStart(StreamStart(serverTransmitted: .seconds(1), player: stream.start)))
        #expect(eventually { rig.statistic("ignored-messages") == 1 })
        #expect(rig.bus.texts("element: sendspin-stream-start") == [])
        rig.server.play(.pcm(), lead: .milliseconds(600))
        #expect(rig.hasBytes(4_800))
    }

    @Test func damagedAudioDoesNotEndTheStream() throws {
        let rig = try SendspinRig()
        try #require(rig.start())
        rig.server.play(.flac(), lead: .milliseconds(500))
        #expect(rig.hasBytes(1))
        let now = rig.server.clock.time(at: MonotonicClock.now)
        var dice = Random(seed: 3)
        for number in 0..<50 {
            let noise = (0..<1_000).map { _ in UInt8.random(in: .min ... .max, using: &dice) }
            let chunk = AudioChunk(
                timestamp: now + .milliseconds(3_000 + (96 * number)), sendAhead: .zero, payload: noise[...])
            rig.server.send(binary: chunk.bytes(.encrypted))
        }
        rig.recorder.clear()
        rig.server.play(.flac(), lead: .seconds(1), firstIndex: 1_000_000)
        #expect(eventually { rig.indices.contains { ($0 ?? 0) > 1_000_000 } })
        #expect(!rig.bus.texts.contains { $0.hasPrefix("error") })
    }

    /// The number after `text` in `output`; nil if the text or the number is missing.
    private static func number(after text: String, in output: String) -> Int? {
        output.firstRange(of: text).flatMap { range in
            Int(output[range.upperBound...].prefix { $0.isNumber || $0 == "-" })
        }
    }

    private static var residentMegabytes: Int {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * Int(getpagesize()) / 1_000_000
    }
}
