import CGStreamer
import StageSupport
import Testing

/// Encoders that select their bitrate.
extension EncoderTests {
    @Test func lowersAnAutomaticBitrateOnceItIsKnown() {
        let show = show("policy=bitrate-first forced-level=serious", "nvh264enc name=e ! fakesink")
        show.play()
        #expect(show.becomes { show.level == "serious" && show.output.frames > 2 })
        // The action does not precede the write.
        let claimed = show.action
        #expect(claimed == "none" || number(show, "bitrate") > 0)
        #expect(show.becomes { number(show, "bitrate") > 0 })
        #expect(show.becomes { show.action.hasPrefix("bitrate ") })
        // 320x240 in I420 at 30 frames, as the element passes it on; half of it, after two steps.
        #expect(show.becomes { abs(number(show, "bitrate") / (27_648_000 / 1024 * 0.49) - 1) < 0.2 })
        #expect(number(show, "max-bitrate") == 1470)
        show.stage.set("forced-level", to: "nominal")
        #expect(show.becomes { show.action == "none" && show.stage.get("bitrate", of: "e") == "0" })
        #expect(show.stage.get("max-bitrate", of: "e") == "3000")
    }

    /// The encoder notifies its bitrate on its streaming thread, with new caps or with a frame.
    @Test(arguments: [true, false])
    func restoresAutomaticWhenTheEncoderReportsItsOwnBitrate(withCaps: Bool) {
        let caps = "video/x-raw,format=I420,width=320,height=240,framerate="
        let show = show(
            "policy=maintain-resolution", "vah264enc name=e ! fakesink",
            source: "videotestsrc is-live=true pattern=ball ! capsfilter name=f caps=\(caps)\(withCaps ? 15 : 30)/1")
        show.play()
        #expect(show.becomes { show.output.frames > 5 })
        FakeEncoder.choose(
            show.stage.element("e"), "bitrate", 1000,
            with: withCaps ? GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM : GST_PAD_PROBE_TYPE_BUFFER)
        show.stage.set("caps", to: "\(caps)30/1", of: "f")
        #expect(show.becomes { show.output.last == "320x240@30/1" })
        #expect(show.becomes { number(show, "bitrate") == 1000 })
        _ = show.stage.listen(seconds: 0.1)
        show.stage.set("forced-level", to: "serious")
        #expect(show.becomes { show.action == "bitrate 70%" })
        #expect([699, 700].contains(number(show, "bitrate")))
        // With fewer frames the encoder would select less.
        show.stage.set("forced-level", to: "critical")
        #expect(
            show.becomes { show.action == "5/1 fps, bitrate 70%" || show.action.hasPrefix("5/1") }, "\(show.action)")
        #expect(show.becomes { [116, 117].contains(number(show, "bitrate")) }, "\(number(show, "bitrate"))")
        show.stage.set("forced-level", to: "nominal")
        #expect(show.becomes { show.action == "none" })
        #expect(number(show, "bitrate") == 0)
        // A bitrate of the user still counts.
        show.stage.set("bitrate", to: "2000", of: "e")
        show.stage.set("forced-level", to: "serious")
        #expect(show.becomes { number(show, "bitrate") == 1400 && show.action == "bitrate 70%" })
        show.stage.set("forced-level", to: "nominal")
        #expect(show.becomes { show.action == "none" && number(show, "bitrate") == 2000 })
    }
}
