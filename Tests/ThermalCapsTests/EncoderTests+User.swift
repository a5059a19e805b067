import CGStreamer
import GstTestSupport
import Testing

/// Tests bitrates that the user sets.
extension EncoderTests {
    @Test func restoresTheExactBitrateThatADriverRounds() {
        let rig = makeRig("policy=bitrate-first", "qsvh264enc name=e ! fakesink")
        FakeEncoder.change(rig.pipeline.element("e"), "max-bitrate", to: 2496)
        rig.play()
        #expect(eventually { rig.output.frames > 3 })
        rig.pipeline.set("forced-level", to: "serious")
        #expect(eventually { number(rig, "bitrate") == 976 })
        _ = rig.pipeline.listen(seconds: 0.2)
        #expect(number(rig, "bitrate") == 976 && number(rig, "max-bitrate") == 1216)
        #expect(rig.action == "bitrate 49%")
        rig.pipeline.set("forced-level", to: "nominal")
        #expect(eventually { rig.action == "none" })
        #expect(number(rig, "bitrate") == 2000 && number(rig, "max-bitrate") == 2496)
    }

    @Test func takesTheUsersNewBitrateAsTheFullOne() {
        guard Setup.has("x264enc") else { return }
        let rig = makeRig("policy=maintain-resolution forced-level=serious", "x264enc name=e bitrate=1000 ! fakesink")
        rig.play()
        #expect(eventually { number(rig, "bitrate") == 700 })
        rig.pipeline.set("bitrate", to: "2000", of: "e")
        #expect(eventually { number(rig, "bitrate") == 1400 })
        // A value that the user sets is a new full bitrate, even if it equals the lowered bitrate.
        rig.pipeline.set("bitrate", to: "1400", of: "e")
        #expect(eventually { number(rig, "bitrate") == 980 })
        // Other properties of the encoder do not change its bitrate.
        rig.pipeline.set("vbv-buf-capacity", to: "500", of: "e")
        _ = rig.pipeline.listen(seconds: 0.2)
        #expect(number(rig, "bitrate") == 980 && rig.action == "bitrate 70%")
        rig.pipeline.set("forced-level", to: "nominal")
        #expect(eventually { number(rig, "bitrate") == 1400 })
        _ = rig.pipeline.listen(seconds: 0.1)
        #expect(number(rig, "bitrate") == 1400 && rig.action == "none")
    }

    @Test func lowersTheLimitsWithTheBitrate() {
        let rig = makeRig("policy=maintain-resolution forced-level=serious", "mpph264enc name=e bps-min=0 ! fakesink")
        rig.play()
        #expect(eventually { number(rig, "bps") == 700_002 && number(rig, "bps-max") == 700_002 })
        #expect(number(rig, "bps-min") == 0)
        rig.pipeline.go(GST_STATE_READY)
        #expect(number(rig, "bps") == 1_000_003 && number(rig, "bps-max") == 1_000_003)
    }
}
