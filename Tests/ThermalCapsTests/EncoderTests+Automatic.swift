import CGStreamer
import GstTestSupport
import Testing

/// Tests encoders that select their bitrate.
extension EncoderTests {
    @Test func lowersAnAutomaticBitrateOnceItIsKnown() {
        let rig = makeRig("policy=bitrate-first forced-level=serious", "nvh264enc name=e ! fakesink")
        rig.play()
        #expect(eventually { rig.level == "serious" && rig.output.frames > 2 })
        // The action is not posted before the bitrate is written.
        let claimed = rig.action
        #expect(claimed == "none" || number(rig, "bitrate") > 0)
        #expect(eventually { number(rig, "bitrate") > 0 })
        #expect(eventually { rig.action.hasPrefix("bitrate ") })
        // The bitrate of 320x240 in I420 at 30 frames per second is 27 648 kbit/s, of which two steps leave 49 %.
        #expect(eventually { abs(number(rig, "bitrate") / (27_648_000 / 1024 * 0.49) - 1) < 0.2 })
        #expect(number(rig, "max-bitrate") == 1470)
        rig.pipeline.set("forced-level", to: "nominal")
        #expect(eventually { rig.action == "none" && rig.pipeline.get("bitrate", of: "e") == "0" })
        #expect(rig.pipeline.get("max-bitrate", of: "e") == "3000")
    }

    /// The encoder notifies its bitrate on its streaming thread, when new caps or a frame arrive.
    @Test(arguments: [true, false])
    func restoresAutomaticWhenTheEncoderReportsItsOwnBitrate(withCaps: Bool) {
        let caps = "video/x-raw,format=I420,width=320,height=240,framerate="
        let rig = makeRig(
            "policy=maintain-resolution", "vah264enc name=e ! fakesink",
            source: "videotestsrc is-live=true pattern=ball ! capsfilter name=f caps=\(caps)\(withCaps ? 15 : 30)/1")
        rig.play()
        #expect(eventually { rig.output.frames > 5 })
        FakeEncoder.choose(
            rig.pipeline.element("e"), "bitrate", 1000,
            with: withCaps ? GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM : GST_PAD_PROBE_TYPE_BUFFER)
        rig.pipeline.set("caps", to: "\(caps)30/1", of: "f")
        #expect(eventually { rig.output.last == "320x240@30/1" })
        #expect(eventually { number(rig, "bitrate") == 1000 })
        _ = rig.pipeline.listen(seconds: 0.1)
        rig.pipeline.set("forced-level", to: "serious")
        #expect(eventually { rig.action == "bitrate 70%" })
        #expect([699, 700].contains(number(rig, "bitrate")))
        // At 5 instead of 30 frames per second, the encoder would select a sixth of its 1000 kbit/s. 70 % of this sixth
        // are 116.7 kbit/s.
        rig.pipeline.set("forced-level", to: "critical")
        #expect(eventually { rig.action.hasPrefix("5/1") }, "\(rig.action)")
        #expect(eventually { [116, 117].contains(number(rig, "bitrate")) }, "\(number(rig, "bitrate"))")
        rig.pipeline.set("forced-level", to: "nominal")
        #expect(eventually { rig.action == "none" })
        #expect(number(rig, "bitrate") == 0)
        // A bitrate that the user sets later is lowered and restored.
        rig.pipeline.set("bitrate", to: "2000", of: "e")
        rig.pipeline.set("forced-level", to: "serious")
        #expect(eventually { number(rig, "bitrate") == 1400 && rig.action == "bitrate 70%" })
        rig.pipeline.set("forced-level", to: "nominal")
        #expect(eventually { rig.action == "none" && number(rig, "bitrate") == 2000 })
    }
}
