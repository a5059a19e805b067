import CGStreamer
import GstTestSupport
import SendspinSupport
import SendspinWire
import Testing

/// `sendspinplay` after a pause, after a failure, and with other properties.
@Suite(.serialized) struct PlayRestartTests {
    /// For each buffer, the time at which a sink renders its first sample minus that of the server.
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
}
