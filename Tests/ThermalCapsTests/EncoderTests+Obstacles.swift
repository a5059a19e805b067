import CGStreamer
import GstTestSupport
import Testing

/// Tests encoders whose bitrate cannot be lowered.
extension EncoderTests {
    @Test(arguments: [
        ("x264enc", "pass=quant"), ("x264enc", "vbv-buf-capacity=0"), ("x265enc", "qp=30"),
        ("openh264enc", "rate-control=off"), ("av1enc", "end-usage=q max-quantizer=60"),
        ("svtav1enc", "name=e"), ("vah265enc", "name=e"), ("v4l2h264enc", "name=e"),
        ("v4l2h264enc", "extra-controls=controls,repeat_sequence_header=1"),
    ])
    func postsOneInfoWhenTheBitrateHasNoEffect(factory: String, setting: String) {
        FakeEncoder.ready
        guard Setup.has(factory) else { return }
        let rig = makeRig("policy=maintain-resolution forced-level=serious", "\(factory) \(setting) ! fakesink")
        rig.play()
        let heard = listen(to: rig, until: "is not lowered")
        let infos = heard.filter { $0.hasPrefix("info") }
        #expect(infos.count == 1 && infos.first?.contains("is not lowered") == true, "\(heard)")
        #expect(rig.action == "none")
        #expect(!heard.contains { $0.contains("bitrate 70") })
        // The ladder omits a rung that would change only the bitrate.
        rig.pipeline.set("forced-level", to: "critical")
        #expect(eventually { rig.action.contains("/1 fps") })
        #expect(!rig.action.contains("bitrate"))
    }

    @Test func detectsAnEncoderThatRefusesABitrate() {
        let rig = makeRig("policy=maintain-resolution forced-level=serious", "nvh265enc name=e ! fakesink")
        rig.play()
        let heard = listen(to: rig, until: "accepts no other value")
        #expect(heard.filter { $0.contains("accepts no other value") }.count == 1, "\(heard)")
        #expect(rig.action == "none")
    }
}
