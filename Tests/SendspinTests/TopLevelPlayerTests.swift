import CGStreamer
import GstTestSupport
import SendspinSupport
import Testing

/// Tests a `sendspinplay` outside of a pipeline, which would give it a clock and a base time.
@Suite(.serialized) struct TopLevelPlayerTests {
    private func player(_ server: FakeServer, _ sink: String) -> Pipeline {
        let player = Pipeline(bin: "sendspinplay")
        player.raw.set(string: "uri", to: server.uri)
        player.raw.set(string: "audio-sink", to: sink)
        player.raw.set(string: "storage-folder", to: Setup.newFolder().path)
        return player
    }

    @Test(arguments: [FakeStream.pcm(), .flac()])
    func playsInTimeWithoutAPipeline(stream: FakeStream) throws {
        // Other load makes the estimate of the server clock less exact, so one of five attempts is sufficient.
        #expect(try (0..<5).contains { _ in try playsInTime(stream) })
    }

    private func playsInTime(_ stream: FakeStream) throws -> Bool {
        _ = SendspinSetup.once
        let server = try FakeServer()
        let sink = "virtualdac name=s ppm=50 clock-offset=1000000000000 settle-time=1500000000"
        let player = player(server, sink)
        gst_element_set_state(player.raw, GST_STATE_PLAYING)
        try #require(server.wait { $0.last?.state?.isAvailable == true })
        server.playForVirtualDAC(stream, lead: .milliseconds(1_000))
        try #require(eventually { player.statistic("settled-count", of: "s") > 48_000 })
        let errors = (player.statistic("settled-p50", of: "s"), abs(player.statistic("first-error", of: "s")))
        #expect(player.raw.pointee.current_state == GST_STATE_PLAYING)
        #expect(server.violations == [])
        #expect(player.go(GST_STATE_NULL))
        server.stop()
        return errors.0 <= 300_000 && errors.1 <= 1_000_000
    }

    @Test func pausesAndPlaysAgainWithoutAPipeline() throws {
        _ = SendspinSetup.once
        let server = try FakeServer()
        let player = player(server, "fakesink name=s sync=true")
        gst_element_set_state(player.raw, GST_STATE_READY)
        let recorder = StreamRecorder(player.element("s"))
        for round in 0..<3 {
            gst_element_set_state(player.raw, GST_STATE_PLAYING)
            try #require(server.wait { $0.last?.state?.isAvailable == true && $0.last?.closure == nil })
            if round != 1 { server.play(.pcm(), lead: .milliseconds(900)) }
            let count = recorder.byteCount
            try #require(eventually { recorder.byteCount > count + 100_000 }, "round \(round)")
            gst_element_set_state(player.raw, round == 0 ? GST_STATE_PAUSED : GST_STATE_READY)
            if round == 1 { try #require(server.wait { $0.last?.closure != nil }) }
        }
        #expect(player.go(GST_STATE_NULL))
        server.stop()
    }
}
