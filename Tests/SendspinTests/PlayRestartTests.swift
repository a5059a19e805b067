import CGStreamer
import GstTestSupport
import SendspinSupport
import SendspinProtocol
import Testing

/// Tests `sendspinplay` after a pause, after a failure, and with other properties.
@Suite(.serialized) struct PlayRestartTests {
    /// For each buffer, the time at which a sink renders its first sample minus the time at which it must be heard.
    private func places(_ rig: SendspinRig, _ chunks: [StreamRecorder.Chunk]) -> [Duration] {
        let base = Duration.nanoseconds(Int64(gst_element_get_base_time(rig.pipeline.raw)))
        return chunks.compactMap { chunk in
            guard let pts = chunk.pts, let index = RampSignal.indices(pcm: chunk.bytes.prefix(4), bitDepth: 16).first,
                let index, let time = rig.server.localTime(ofIndex: index)
            else { return nil }
            return pts + base - time
        }
    }

    @Test(arguments: [FakeStream.pcm(), .flac()])
    func nothingFromBeforeAPauseIsPlayedAfterIt(stream: FakeStream) throws {
        let rig = try SendspinRig(
            playingWith: "", sink: "audioconvert dithering=none ! audio/x-raw,format=S16LE ! fakesink name=s sync=true")
        try #require(rig.start())
        rig.server.setSendAhead(.milliseconds(800))
        rig.server.play(stream, lead: .milliseconds(900))
        try #require(rig.hasBytes(100_000))
        let before = places(rig, Array(rig.recorder.chunks.suffix(5)))
        for _ in 0..<2 {
            try #require(rig.pipeline.go(GST_STATE_PAUSED))
            simulateWork(for: .milliseconds(400))
            rig.recorder.clear()
            gst_element_set_state(rig.pipeline.raw, GST_STATE_PLAYING)
            #expect(rig.hasBytes(100_000))
            let after = places(rig, rig.recorder.chunks)
            let difference = try #require(
                after.map { $0 - before[0] }.max { abs($0 / .seconds(1)) < abs($1 / .seconds(1)) })
            #expect(abs(difference / .milliseconds(1)) < 5)
        }
        #expect(rig.bus.problems == [])
    }

    @Test func playsAfterItsSinkHasFailed() throws {
        let rig = try SendspinRig(playingWith: "", sink: "filesink name=s location=/nonexistent/x")
        try #require(rig.start())
        rig.server.play(.pcm(), lead: .milliseconds(700))
        #expect(rig.bus.has("error", "/nonexistent/x"))
        rig.pipeline.go(GST_STATE_NULL)
        rig.pipeline.element().set("audio-sink", to: "fakesink name=s sync=false")
        try #require(rig.start())
        rig.server.play(.pcm(), lead: .milliseconds(700))
        #expect(eventually { rig.pipeline.element("s").pointee.current_state == GST_STATE_PLAYING })
        #expect(rig.bus.texts("error").dropFirst(2) == [])
    }

    @Test func propertiesReachTheSourceInReadyAndBackToNull() throws {
        _ = SendspinSetup.once
        let folder = Setup.newFolder()
        let pipeline = Pipeline(
            "pipeline.( sendspinplay name=p audio-sink=fakesink uri=sendspin://127.0.0.1:1 client-name=A )")
        let player = pipeline.element()
        player.set(string: "storage-folder", to: folder.path)
        try #require(pipeline.go(GST_STATE_READY))
        player.set(string: "uri", to: "sendspin://127.0.0.1:2")
        player.set("allow-unencrypted", to: "true")
        player.set("unpaired-access", to: "never")
        try #require(pipeline.go(GST_STATE_PAUSED))
        let source = pipeline.element("source")
        #expect(source.get("uri")?.contains("127.0.0.1:2") == true)
        #expect(source.get("allow-unencrypted") == "true")
        #expect(source.get("unpaired-access") == "never")
        try #require(pipeline.go(GST_STATE_READY))
        player.set(string: "uri", to: nil)
        player.set(string: "client-name", to: nil)
        player.set(string: "listen-address", to: "127.0.0.1:0")
        try #require(pipeline.go(GST_STATE_PAUSED))
        #expect(source.get("uri") == nil)
        #expect(source.get("client-name") == nil)
        try #require(pipeline.go(GST_STATE_READY))
        player.set(string: "listen-address", to: nil)
        player.set(string: "uri", to: "sendspin://127.0.0.1:2")
        try #require(pipeline.go(GST_STATE_PAUSED))
        #expect(source.get("listen-address") == nil)
    }
}
