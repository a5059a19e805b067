import CGStreamer
import StageSupport
import Testing

/// Encoders whose bitrate cannot be lowered.
extension EncoderTests {
    @Test(arguments: [
        ("x264enc", "pass=quant"), ("x264enc", "vbv-buf-capacity=0"), ("x265enc", "qp=30"),
        ("openh264enc", "rate-control=off"), ("av1enc", "end-usage=q max-quantizer=60"),
        ("svtav1enc", "name=e"), ("vah265enc", "name=e"), ("v4l2h264enc", "name=e"),
        ("v4l2h264enc", "extra-controls=controls,repeat_sequence_header=1"),
    ])
    func postsOneInfoWhenTheBitrateHasNoEffect(factory: String, setting: String) {
        FakeEncoder.ready
        guard installed(factory) else { return }
        let show = show("policy=maintain-resolution forced-level=serious", "\(factory) \(setting) ! fakesink")
        show.play()
        let heard = listen(to: show, until: "stays as it is")
        let infos = heard.filter { $0.hasPrefix("info") }
        #expect(infos.count == 1 && infos.first?.contains("stays as it is") == true, "\(heard)")
        #expect(show.action == "none")
        #expect(!heard.contains { $0.contains("bitrate 70") })
        // A rung that would change only the bitrate is left out.
        show.stage.set("forced-level", to: "critical")
        #expect(show.becomes { show.action == "25/1 fps" || show.action.contains("/1 fps") })
        #expect(!show.action.contains("bitrate"))
    }

    @Test func detectsAnEncoderThatRefusesABitrate() {
        let show = show("policy=maintain-resolution forced-level=serious", "nvh265enc name=e ! fakesink")
        show.play()
        let heard = listen(to: show, until: "takes no other")
        #expect(heard.filter { $0.contains("takes no other") }.count == 1, "\(heard)")
        #expect(show.action == "none")
    }
}
