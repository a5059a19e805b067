@testable import SendspinProtocol
import Testing

/// Tests streams, metadata and images.
@Suite struct StreamTests {
    @Test func messagesMayWaitOnlyBehindAudioThatIsAhead() throws {
        let rig = SessionRig()
        func mayWait(behind lead: Duration) -> Bool {
            let chunk = AudioChunk(timestamp: rig.now + rig.offset + lead, sendAhead: nil, payload: [])
            return rig.session.mayWait(behind: chunk, at: rig.now, lead: .seconds(1))
        }
        try rig.play("open sync")
        // Lights may be shown when they arrive.
        #expect(!mayWait(behind: .seconds(2)))
        try rig.play("activate:player")
        #expect(mayWait(behind: .seconds(2)) && !mayWait(behind: .milliseconds(900)))
        rig.session.player.outputDelay = .milliseconds(1_200)
        #expect(mayWait(behind: .milliseconds(2_300)) && !mayWait(behind: .seconds(2)))
        // The arrival of the reply to a time request must be exact.
        rig.answersTime = false
        try rig.run(for: .seconds(10))
        #expect(!mayWait(behind: .seconds(3)))
    }

    @Test func playsAStream() throws {
        let rig = SessionRig()
        try rig.play("open sync activate:playback")
        _ = rig.takeLog()
        try rig.play(
            "chunk start chunk chunk start:pcm chunk:8 clear chunk:4 end chunk:4 start chunk end:artwork chunk end:player"
        )
        #expect(
            rig.takeLog() == [
                "started(flac)", "chunk(100)", "chunk(100)", "changed(pcm)", "chunk(8)", "cleared", "chunk(4)", "ended",
                "started(flac)", "chunk(100)", "chunk(100)", "ended",
            ])
        #expect(rig.session.counters.chunksReceived == 6)
        #expect(rig.session.counters.chunksIgnored == 2)
    }

    @Test func chunkWithPartOfAFrameIsIgnored() throws {
        let rig = SessionRig()
        try rig.play("playing start:pcm")
        _ = rig.takeLog()
        try rig.play("chunk:6 chunk:7 chunk:8")
        let log = rig.takeLog()
        #expect(log.count == 2)
        #expect(log.first?.hasPrefix("ignored: A message audio of the server is ignored: a chunk of 6 bytes") ?? false)
        #expect(log.last == "chunk(8)")
        #expect(rig.session.counters.messagesIgnored == 2)
    }

    @Test func formatThatWasNotOfferedEndsTheStream() throws {
        let rig = SessionRig()
        try rig.play("playing")
        _ = rig.takeLog()
        let format = AudioFormat(codec: .pcm, channels: 64, sampleRate: 1, bitDepth: 64)
        try rig.send(.streamStart(StreamStart(player: PlayerStream(format: format))))
        try rig.play("chunk")
        #expect(
            rig.takeLog() == [
                "ended",
                "ignored: A message stream/start of the server is ignored: the format pcm, 1 Hz, 64 channels, 64 bits "
                    + "was not offered.",
            ])
    }

    @Test func flacWithoutItsHeaderIsNotPlayed() throws {
        let rig = SessionRig()
        try rig.play("open sync")
        _ = rig.takeLog()
        try rig.send(.streamStart(StreamStart(player: PlayerStream(format: SessionRig.flac))))
        try rig.play("chunk")
        #expect(
            rig.takeLog() == [
                "ignored: A message stream/start of the server is ignored: the codec header of FLAC is missing or malformed."
            ])
    }

    /// The application would receive the blocks after STREAMINFO as tags, such as texts with control characters.
    @Test func headerOfFLACIsCutToItsFormat() throws {
        let rig = SessionRig()
        try rig.play("open sync")
        let header = SessionRig.flacHeader
        let comment = [0x84, 0, 0, 8] + Array("TITLE=\u{1B}]".utf8)
        for (given, expected) in [
            (header + comment, header), (header.dropLast(), nil), (Array("fLaC".utf8) + comment + header, nil),
        ] {
            var open = Array(given)
            open[4] &= 0x7F
            try rig.send(.streamStart(StreamStart(player: PlayerStream(format: SessionRig.flac, codecHeader: open))))
            var played: [UInt8]?
            for case .streamStarted(let stream) in rig.lastEvents { played = stream.codecHeader }
            #expect(played == expected)
            rig.lastEvents = []
        }
        let pcm = PlayerStream(format: SessionRig.pcm, codecHeader: header)
        try rig.send(.streamStart(StreamStart(player: pcm)))
        guard case .streamStarted(let stream)? = rig.lastEvents.last else {
            Issue.record("\(rig.log)")
            return
        }
        #expect(stream.codecHeader == nil)
    }

    @Test func metadataIsEmittedAtItsTime() throws {
        let rig = SessionRig()
        try rig.play("playing")
        _ = rig.takeLog()
        try rig.play("metadata:one metadata:two+5 wait:4")
        #expect(rig.takeLog() == ["metadata(one)"])
        try rig.play("wait:2")
        #expect(rig.takeLog() == ["metadata(two)"])
        // At most one update is pending, because a later update replaces an earlier one.
        try rig.play("metadata:three+5 metadata:four+3 wait:9")
        #expect(rig.takeLog() == ["metadata(four)"])
    }

    @Test func imagesAreJoinedAndClearedWithTheStream() throws {
        let rig = SessionRig()
        try rig.play("open sync")
        _ = rig.takeLog()
        let channel = ArtworkChannel(source: .album, format: .jpeg, width: 100, height: 100)
        try rig.play("image:10")
        try rig.send(.streamStart(StreamStart(artwork: [channel])))
        try rig.play("image:10 image:0 image:5000000 image:20 wait:1 end:artwork")
        #expect(
            rig.takeLog() == ["artwork(0, 10)", "artwork(0, 0)", "artwork(0, 20)", "artwork(0, 0)"])
        #expect(rig.session.counters.imagesDiscarded == 1)
    }

    @Test func removedRolesEndTheirStreamsAndState() throws {
        let rig = SessionRig()
        try rig.play("playing metadata:one controller:5")
        _ = rig.takeLog()
        try rig.play("activate:none")
        #expect(
            rig.takeLog() == ["ended", "metadata(none)", "controller(none)", "activated(nothing, 0 roles)"])
        try rig.play("activate:all")
        #expect(rig.takeLog() == ["activated(nothing, 6 roles)", "→ state(available)"])
    }
}
