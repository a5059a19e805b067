import CGStreamer
import Foundation
import StageSupport
import Testing

/// V4L2 encoders, whose driver has the bitrate.
extension EncoderTests {
    @Test func leavesTheDriversBitrateAloneAndPostsTheRemedy() {
        let show = show("policy=bitrate-first forced-level=serious", "v4l2h264enc name=e ! fakesink")
        // A file, not a device: it has no control.
        let file = open("/dev/null", O_RDWR)
        FakeEncoder.change(show.stage.element("e"), "device-fd", to: file)
        show.play()
        let heard = listen(to: show, until: "stays as it is")
        #expect(heard.contains { $0.contains("nobody knows what it is") }, "\(heard)")
        // The user's structure counts at once.
        show.stage.set("extra-controls", to: "controls,repeat_sequence_header=1,video_bitrate=4000001", of: "e")
        #expect(show.becomes { show.action.hasPrefix("bitrate 49") })
        #expect(show.stage.get("extra-controls", of: "e").contains("video_bitrate=(int)1960000"))
        #expect(show.stage.get("extra-controls", of: "e").contains("repeat_sequence_header=(int)1"))
        show.stage.set("forced-level", to: "nominal")
        #expect(show.becomes { show.action == "none" })
        #expect(show.stage.get("extra-controls", of: "e").contains("video_bitrate=(int)4000001"))
        close(file)
    }

    /// A structure without the bitrate does not change the driver, which cannot be read.
    @Test(arguments: ["bitrate-first", "balanced"])
    func restoresTheBitrateAfterTheUserRemovesTheField(policy: String) {
        let show = show(
            "policy=\(policy) forced-level=serious",
            "v4l2h264enc name=e extra-controls=controls,video_bitrate=4000001 ! fakesink")
        let file = open("/dev/null", O_RDWR)
        FakeEncoder.change(show.stage.element("e"), "device-fd", to: file)
        var given: Int32 { FakeEncoder.given(show.stage.element("e"), "video_bitrate") ?? .max }
        show.play()
        #expect(show.becomes { show.action.contains("bitrate") && given < 4_000_000 })
        show.stage.set("extra-controls", to: "controls,repeat_sequence_header=1", of: "e")
        _ = show.stage.listen(seconds: 0.2)
        #expect(show.action.contains("bitrate") && given < 4_000_000)
        show.stage.set("forced-level", to: "nominal")
        #expect(show.becomes { show.action == "none" })
        #expect(show.becomes { given == 4_000_001 }, "\(given)")
        let left = show.stage.get("extra-controls", of: "e")
        #expect(left.contains("repeat_sequence_header=(int)1") && !left.contains("video_bitrate"), "\(left)")
        close(file)
    }
}
