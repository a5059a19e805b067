import CGStreamer
import GstTestSupport
import Testing

/// Tests encoders in front of muxers that refuse new caps.
extension EncoderTests {
    /// The codec's level depends on the bitrate and is in the file header, so another level would end the recording.
    @Test(arguments: [
        "openh264enc bitrate=4000000 name=e ! h264parse",
        "x265enc bitrate=4000 speed-preset=ultrafast tune=zerolatency name=e ! h265parse",
    ])
    func keepsTheBitrateWhenAMuxerRefusesNewCodecData(encoder: String) {
        guard Setup.has("\(encoder) ! matroskamux") else { return }
        let rig = ThermalRig(
            "videotestsrc is-live=true ! video/x-raw,format=I420,width=640,height=360,framerate=30/1", "",
            "\(encoder) ! matroskamux ! fakesink")
        rig.play()
        #expect(eventually { rig.output.frames > 3 })
        let full = rig.pipeline.get("bitrate", of: "e")
        rig.pipeline.set("forced-level", to: "critical")
        #expect(eventually { rig.action == "5/1 fps" }, "\(rig.action)")
        #expect(rig.pipeline.get("bitrate", of: "e") == full)
        rig.pipeline.set("forced-level", to: "nominal")
        let heard = rig.pipeline.listen(seconds: 1)
        #expect(eventually { rig.action == "none" })
        #expect(!heard.contains { $0.hasPrefix("error") }, "\(heard)")
        #expect(heard.filter { $0.hasPrefix("info") && $0.contains("matroskamux") }.count == 1, "\(heard)")
        // With `allow-resolution-change=true`, the bitrate is lowered.
        rig.pipeline.set("allow-resolution-change", to: "true")
        rig.pipeline.set("policy", to: "bitrate-first")
        rig.pipeline.set("forced-level", to: "serious")
        #expect(eventually { rig.pipeline.get("bitrate", of: "e") != full })
    }

    /// A recording that begins while the bitrate is lowered keeps the lowered bitrate.
    @Test func keepsTheLoweredBitrateWhileALateMuxerRecords() {
        guard Setup.has("openh264enc ! matroskamux") else { return }
        let rig = ThermalRig(
            "videotestsrc is-live=true ! video/x-raw,format=I420,width=320,height=240,framerate=30/1",
            "policy=bitrate-first",
            "openh264enc bitrate=4000000 name=e ! h264parse ! video/x-h264,stream-format=avc ! tee name=t ! queue "
                + "! fakesink")
        rig.play()
        #expect(eventually { rig.output.frames > 3 })
        rig.pipeline.set("forced-level", to: "serious")
        #expect(eventually { rig.action == "bitrate 49%" }, "\(rig.action)")
        let recorder = Recorder("queue ! matroskamux ! fakesink async=false", behind: "t", of: rig)
        rig.pipeline.set("forced-level", to: "nominal")
        _ = rig.pipeline.listen(seconds: 0.3)
        rig.pipeline.set("enabled", to: "false")
        _ = rig.pipeline.listen(seconds: 0.3)
        rig.pipeline.set("enabled", to: "true")
        _ = rig.pipeline.listen(seconds: 0.3)
        #expect(rig.pipeline.get("bitrate", of: "e") == "1960000")
        recorder.leave()
        #expect(eventually { rig.pipeline.get("bitrate", of: "e") == "4000000" && rig.action == "none" })
        #expect(!rig.pipeline.listen(seconds: 0.1).contains { $0.hasPrefix("error") })
    }
}
