import TestSupport
import CGStreamer
import GstTestSupport
import SendspinSupport
import SendspinProtocol
import Testing

/// Tests the player `sendspinplay` with a fakesink.
@Suite(.serialized) struct PlayTests {
    /// A rig in which `sendspinplay` plays `stream`.
    private func playing(
        _ stream: FakeStream = .pcm(), _ properties: String = "", sink: String = "fakesink name=s sync=false"
    ) throws -> SendspinRig {
        let rig = try SendspinRig(playingWith: properties, sink: sink)
        try #require(rig.start())
        rig.server.setSendAhead(.milliseconds(800))
        rig.server.play(stream, lead: .milliseconds(700))
        return rig
    }

    @Test(arguments: [FakeStream.pcm(bitDepth: 24), .flac(), .pcm(sampleRate: 44_100)])
    func playsEachFormatInOrder(stream: FakeStream) throws {
        let rig = try playing(stream)
        #expect(rig.hasBytes(60_000))
        #expect(rig.bus.problems == [])
        #expect(rig.server.violations == [])
    }

    @Test(arguments: [(FakeStream.flac(), FakeStream.pcm()), (.pcm(), .flac()), (.pcm(), .pcm(bitDepth: 24))])
    func codecChangesInPlace(old: FakeStream, new: FakeStream) throws {
        let rig = try playing(old)
        try #require(rig.hasBytes(1))
        try #require(rig.server.change(to: new) != nil)
        let count = rig.recorder.byteCount
        #expect(rig.hasBytes(count + 400_000))
        #expect(rig.bus.problems == [])
        #expect(rig.server.violations == [])
    }

    @Test func playsTheNextStreamAfterAudioThatCannotBeDecoded() throws {
        var damaged = FakeStream.flac(blockSize: 1_200)
        damaged.isDamaged = true
        let rig = try playing(damaged)
        #expect(rig.bus.has("warning", "cannot be decoded"))
        // Wait for many more frames, for each of which the decoder posts an error.
        #expect(eventually { rig.statistic("source-played") > 100 })
        rig.server.end()
        #expect(rig.bus.has("element: sendspin-stream-end"))
        rig.recorder.clear()
        rig.server.play(.flac(), lead: .milliseconds(800))
        #expect(rig.hasBytes(60_000))
        #expect(rig.bus.problems.count == 1)
    }

    @Test func deviceIsClosedAfterTheIdleTimeoutAndOpenedAgain() throws {
        let rig = try playing(.pcm(), "idle-timeout=200000000")
        try #require(rig.hasBytes(1))
        let sink = rig.pipeline.element("s")
        rig.server.end()
        #expect(rig.bus.has("element: sendspin-stream-end"))
        #expect(eventually { sink.pointee.current_state == GST_STATE_NULL })
        rig.recorder.clear()
        rig.server.play(.pcm(), lead: .milliseconds(800))
        #expect(rig.hasBytes(40_000))
        #expect(sink.pointee.current_state == GST_STATE_PLAYING)
        #expect(rig.bus.problems == [])
        #expect(rig.server.violations == [])
    }

    @Test func deviceStaysOpenWithoutATimeout() throws {
        let rig = try playing(.pcm(), "idle-timeout=18446744073709551615")
        try #require(rig.hasBytes(1))
        rig.server.end()
        #expect(rig.bus.has("element: sendspin-stream-end"))
        let sink = rig.pipeline.element("s")
        #expect(remains(for: .milliseconds(300)) { sink.pointee.current_state.rawValue >= GST_STATE_PAUSED.rawValue })
    }

    @Test func volumeIsThatOfTheServer() throws {
        let rig = try playing()
        let player = rig.pipeline.element()
        rig.server.command(.volume(25))
        rig.server.command(.mute(true))
        // A volume of 25 % is the factor (25 / 100) ^ 1.5, which is 0.125.
        #expect(eventually { abs(player.number("volume") - 0.125) < 0.001 && player.get("mute") == "true" })
        player.set("mute", to: "false")
        player.set("volume", to: "1")
        #expect(rig.server.wait { $0.last?.state?.player?.volume == 100 && $0.last?.state?.player?.isMuted == false })
        #expect(rig.server.violations == [])
    }

    @Test func volumeThatIsSetBeforeTheStartIsReported() throws {
        let rig = try playing(.pcm(), "volume=0.125 mute=true")
        #expect(rig.server.report.state?.player?.volume == 25)
        #expect(rig.server.report.state?.player?.isMuted == true)
    }

    @Test func playerThatTheApplicationMutesIsNoInfoMessage() throws {
        let rig = try playing(.pcm(), "volume=0.125 mute=true")
        #expect(rig.bus.texts("info") == [])
    }

    @Test func mutedPlayerIsSilent() throws {
        let rig = try playing()
        try #require(rig.hasBytes(1))
        rig.server.command(.mute(true))
        #expect(eventually { rig.recorder.chunks.last?.bytes.allSatisfy { $0 == 0 } == true })
        rig.server.command(.mute(false))
        #expect(eventually { rig.recorder.chunks.last?.bytes.contains { $0 != 0 } == true })
    }

    @Test func survivesAStormOfStateChanges() throws {
        let rig = try playing()
        var dice = Random(seed: 2)
        for _ in 0..<50 {
            gst_element_set_state(rig.pipeline.raw, GST_STATE_PLAYING)
            simulateWork(for: .microseconds(Int.random(in: 0...8_000, using: &dice)))
            gst_element_set_state(rig.pipeline.raw, [GST_STATE_NULL, GST_STATE_READY].randomElement(using: &dice)!)
        }
        #expect(rig.pipeline.go(GST_STATE_NULL))
        #expect(!rig.bus.texts.contains { $0.hasPrefix("error") })
        try #require(rig.start())
        rig.server.play(.pcm(), lead: .milliseconds(700))
        let count = rig.pipeline.element("s")  // The element replaces the sink in NULL.
        #expect(eventually { count.pointee.current_state == GST_STATE_PLAYING })
        #expect(rig.bus.has("element: sendspin-stream-start"))
    }
}
