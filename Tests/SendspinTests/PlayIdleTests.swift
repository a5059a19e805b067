import CGStreamer
import GstTestSupport
import SendspinSupport
import SendspinProtocol
import Synchronization
import Testing

/// Tests that the device of `sendspinplay` is open only while a stream plays.
@Suite(.serialized) struct PlayIdleTests {
    /// A rig whose player closes its device after 200 ms.
    private func starting(_ properties: String = "idle-timeout=200000000") throws -> SendspinRig {
        let rig = try SendspinRig(playingWith: properties)
        rig.server.changeSettings { $0.trustsKnownClocks = true }
        try #require(rig.start())
        rig.server.setSendAhead(.milliseconds(800))
        return rig
    }

    private func state(_ rig: SendspinRig) -> GstState { rig.pipeline.element("s").pointee.current_state }

    @Test func deviceIsClosedBeforeTheFirstStream() throws {
        let rig = try starting()
        #expect(remains(for: .milliseconds(300)) { state(rig) == GST_STATE_NULL })
        rig.server.play(.pcm(), lead: .milliseconds(700))
        #expect(rig.hasBytes(40_000))
        #expect(state(rig) == GST_STATE_PLAYING)
        #expect(rig.bus.problems == [])
    }

    /// Ctrl-C in `gst-launch-1.0 -e` sends EOS.
    @Test(arguments: [false, true])
    func streamEndsAtEOSWhileTheDeviceIsClosed(hasPlayed: Bool) throws {
        let rig = try starting()
        if hasPlayed {
            rig.server.play(.pcm(), lead: .milliseconds(700))
            try #require(rig.hasBytes(1))
            rig.server.end()
            try #require(eventually { state(rig) == GST_STATE_NULL })
        }
        #expect(gst_element_send_event(rig.pipeline.raw, gst_event_new_eos()) != 0)
        #expect(rig.bus.has("eos"))
        #expect(rig.bus.problems == [])
    }

    @Test func deviceIsClosedWhenTheServerIsLost() throws {
        let rig = try starting()
        rig.server.play(.pcm(), lead: .milliseconds(700))
        try #require(rig.hasBytes(1))
        rig.server.goOffline()
        #expect(eventually { state(rig) == GST_STATE_NULL })
        rig.recorder.clear()
        rig.server.goOnline()
        #expect(rig.hasBytes(40_000))
        #expect(rig.server.violations == [])
    }

    /// The server connects again before the timeout, and its stream continues.
    @Test func deviceStaysOpenWhenTheServerIsBack() throws {
        let rig = try starting("idle-timeout=1500000000")
        rig.server.play(.pcm(), lead: .milliseconds(700))
        try #require(rig.hasBytes(1))
        rig.server.goOffline()
        try #require(rig.bus.has("element: sendspin-server", "connected=(boolean)false"))
        rig.server.goOnline()
        #expect(eventually { rig.bus.texts("element: sendspin-stream-start").count == 2 })
        #expect(remains(for: .seconds(2)) { state(rig) != GST_STATE_NULL })
        let count = rig.recorder.byteCount
        #expect(rig.hasBytes(count + 40_000))
    }

    /// Each stream has another format, so the player replaces the decoder after each pause.
    @Test func eachStreamWakesTheDevice() throws {
        let rig = try starting("idle-timeout=0")
        for stream in [FakeStream.pcm(), .flac(), .pcm(bitDepth: 24), .pcm(sampleRate: 44_100), .flac()] {
            rig.recorder.clear()
            rig.server.play(stream, lead: .milliseconds(700))
            try #require(rig.hasBytes(20_000))
            rig.server.end()
            try #require(eventually { state(rig) == GST_STATE_NULL })
        }
        #expect(rig.bus.problems == [])
        #expect(rig.server.violations == [])
    }

    /// A bus handler on the thread that opens the device may set properties, or wait for a thread that sets them.
    @Test func handlersOfStateChangesSetProperties() throws {
        let rig = try SendspinRig(playingWith: "idle-timeout=100000000")
        let player = Shared(value: rig.pipeline.element())
        let handler = StateHandler(rig.pipeline, "s") {
            player.value.set("idle-timeout", to: "110000000")
            TestThread { player.value.set("volume", to: "0.5") }.join()
        }
        try #require(rig.start())
        rig.server.play(.pcm(), lead: .milliseconds(700))
        try #require(rig.hasBytes(1))
        rig.server.end()
        #expect(eventually { state(rig) == GST_STATE_NULL })
        #expect(handler.count > 4)
        handler.end()
    }

    /// A bus handler stops the player when the device fails, on the thread that tried to open the device.
    @Test func handlerStopsThePlayerWhenItsDeviceFails() throws {
        let rig = try SendspinRig(playingWith: "", sink: "filesink name=s location=/nonexistent/x")
        let pipeline = Shared(value: rig.pipeline.raw)
        let handler = ErrorHandler(rig.pipeline) { gst_element_set_state(pipeline.value, GST_STATE_NULL) }
        try #require(rig.start())
        rig.server.play(.pcm(), lead: .milliseconds(700))
        #expect(eventually { handler.count == 1 && rig.pipeline.raw.pointee.current_state == GST_STATE_NULL })
        rig.pipeline.element().set("audio-sink", to: "fakesink name=s sync=false")
        try #require(rig.start())
        rig.server.play(.pcm(), lead: .milliseconds(700))
        #expect(eventually { state(rig) == GST_STATE_PLAYING })
        handler.end()
    }
}
