import CGStreamer
import StageSupport
import Testing

/// Encoders in front of muxers that refuse new caps.
extension EncoderTests {
    /// When the level is in the header of a file, another bitrate would end the recording.
    @Test(arguments: [
        "openh264enc bitrate=4000000 name=e ! h264parse",
        "x265enc bitrate=4000 speed-preset=ultrafast tune=zerolatency name=e ! h265parse",
    ])
    func keepsTheBitrateWhenAMuxerRefusesNewCodecData(encoder: String) {
        guard installed("\(encoder) ! matroskamux") else { return }
        let show = Show(
            "videotestsrc is-live=true ! video/x-raw,format=I420,width=640,height=360,framerate=30/1", "",
            "\(encoder) ! matroskamux ! fakesink")
        show.play()
        #expect(show.becomes { show.output.frames > 3 })
        let full = show.stage.get("bitrate", of: "e")
        show.stage.set("forced-level", to: "critical")
        #expect(show.becomes { show.action == "5/1 fps" }, "\(show.action)")
        #expect(show.stage.get("bitrate", of: "e") == full)
        show.stage.set("forced-level", to: "nominal")
        let heard = show.stage.listen(seconds: 1)
        #expect(show.becomes { show.action == "none" })
        #expect(!heard.contains { $0.hasPrefix("error") }, "\(heard)")
        #expect(heard.filter { $0.hasPrefix("info") && $0.contains("matroskamux") }.count == 1, "\(heard)")
        // The user can override it.
        show.stage.set("allow-resolution-change", to: "true")
        show.stage.set("policy", to: "bitrate-first")
        show.stage.set("forced-level", to: "serious")
        #expect(show.becomes { show.stage.get("bitrate", of: "e") != full })
    }

    /// A recording that begins while the bitrate is lowered keeps it.
    @Test func keepsTheLoweredBitrateWhileALateMuxerRecords() {
        guard installed("openh264enc ! matroskamux") else { return }
        let show = Show(
            "videotestsrc is-live=true ! video/x-raw,format=I420,width=320,height=240,framerate=30/1",
            "policy=bitrate-first",
            "openh264enc bitrate=4000000 name=e ! h264parse ! video/x-h264,stream-format=avc ! tee name=t ! queue "
                + "! fakesink")
        show.play()
        #expect(show.becomes { show.output.frames > 3 })
        show.stage.set("forced-level", to: "serious")
        #expect(show.becomes { show.action == "bitrate 49%" }, "\(show.action)")
        let recorder = Recorder("queue ! matroskamux ! fakesink async=false", behind: "t", of: show)
        show.stage.set("forced-level", to: "nominal")
        _ = show.stage.listen(seconds: 0.3)
        show.stage.set("enabled", to: "false")
        _ = show.stage.listen(seconds: 0.3)
        show.stage.set("enabled", to: "true")
        _ = show.stage.listen(seconds: 0.3)
        #expect(show.stage.get("bitrate", of: "e") == "1960000")
        recorder.leave()
        #expect(show.becomes { show.stage.get("bitrate", of: "e") == "4000000" && show.action == "none" })
        #expect(!show.stage.listen(seconds: 0.1).contains { $0.hasPrefix("error") })
    }
}
