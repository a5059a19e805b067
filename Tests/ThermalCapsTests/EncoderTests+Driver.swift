import CGStreamer
import Foundation
import GstTestSupport
import Testing

/// Tests V4L2 encoders, whose driver stores the bitrate.
extension EncoderTests {
    @Test func leavesTheDriversBitrateAloneAndPostsTheRemedy() {
        let rig = makeRig("policy=bitrate-first forced-level=serious", "v4l2h264enc name=e ! fakesink")
        // The descriptor belongs to a file that has no controls.
        let file = open("/dev/null", O_RDWR)
        FakeEncoder.change(rig.pipeline.element("e"), "device-fd", to: file)
        rig.play()
        let heard = listen(to: rig, until: "is not lowered")
        #expect(heard.contains { $0.contains("its value is unknown") }, "\(heard)")
        // When the user sets other `extra-controls`, their bitrate is lowered at once, and the other field remains.
        rig.pipeline.set("extra-controls", to: "controls,repeat_sequence_header=1,video_bitrate=4000001", of: "e")
        #expect(eventually { rig.action.hasPrefix("bitrate 49") })
        #expect(rig.pipeline.get("extra-controls", of: "e").contains("video_bitrate=(int)1960000"))
        #expect(rig.pipeline.get("extra-controls", of: "e").contains("repeat_sequence_header=(int)1"))
        rig.pipeline.set("forced-level", to: "nominal")
        #expect(eventually { rig.action == "none" })
        #expect(rig.pipeline.get("extra-controls", of: "e").contains("video_bitrate=(int)4000001"))
        close(file)
    }

    /// A structure without the bitrate does not change the bitrate of the driver, which cannot be read.
    @Test(arguments: ["bitrate-first", "balanced"])
    func restoresTheBitrateAfterTheUserRemovesTheField(policy: String) {
        let rig = makeRig(
            "policy=\(policy) forced-level=serious",
            "v4l2h264enc name=e extra-controls=controls,video_bitrate=4000001 ! fakesink")
        let file = open("/dev/null", O_RDWR)
        FakeEncoder.change(rig.pipeline.element("e"), "device-fd", to: file)
        var given: Int32 { FakeEncoder.given(rig.pipeline.element("e"), "video_bitrate") ?? .max }
        rig.play()
        #expect(eventually { rig.action.contains("bitrate") && given < 4_000_000 })
        rig.pipeline.set("extra-controls", to: "controls,repeat_sequence_header=1", of: "e")
        _ = rig.pipeline.listen(seconds: 0.2)
        #expect(rig.action.contains("bitrate") && given < 4_000_000)
        rig.pipeline.set("forced-level", to: "nominal")
        #expect(eventually { rig.action == "none" })
        #expect(eventually { given == 4_000_001 }, "\(given)")
        let left = rig.pipeline.get("extra-controls", of: "e")
        #expect(left.contains("repeat_sequence_header=(int)1") && !left.contains("video_bitrate"), "\(left)")
        close(file)
    }
}
