import CGStreamer
import StageSupport
import Testing

/// Bitrates that the user sets.
extension EncoderTests {
    @Test func restoresTheExactBitrateThatADriverRounds() {
        let show = show("policy=bitrate-first", "qsvh264enc name=e ! fakesink")
        FakeEncoder.change(show.stage.element("e"), "max-bitrate", to: 2496)
        show.play()
        #expect(show.becomes { show.output.frames > 3 })
        show.stage.set("forced-level", to: "serious")
        #expect(show.becomes { number(show, "bitrate") == 976 })
        _ = show.stage.listen(seconds: 0.2)
        #expect(number(show, "bitrate") == 976 && number(show, "max-bitrate") == 1216)
        #expect(show.action == "bitrate 49%")
        show.stage.set("forced-level", to: "nominal")
        #expect(show.becomes { show.action == "none" })
        #expect(number(show, "bitrate") == 2000 && number(show, "max-bitrate") == 2496)
    }

    @Test func takesTheUsersNewBitrateAsTheFullOne() {
        guard installed("x264enc") else { return }
        let show = show("policy=maintain-resolution forced-level=serious", "x264enc name=e bitrate=1000 ! fakesink")
        show.play()
        #expect(show.becomes { number(show, "bitrate") == 700 })
        show.stage.set("bitrate", to: "2000", of: "e")
        #expect(show.becomes { number(show, "bitrate") == 1400 })
        // The same value as the lowered one is the user's new bitrate.
        show.stage.set("bitrate", to: "1400", of: "e")
        #expect(show.becomes { number(show, "bitrate") == 980 })
        // Other properties have no effect.
        show.stage.set("vbv-buf-capacity", to: "500", of: "e")
        _ = show.stage.listen(seconds: 0.2)
        #expect(number(show, "bitrate") == 980 && show.action == "bitrate 70%")
        show.stage.set("forced-level", to: "nominal")
        #expect(show.becomes { number(show, "bitrate") == 1400 })
        _ = show.stage.listen(seconds: 0.1)
        #expect(number(show, "bitrate") == 1400 && show.action == "none")
    }

    @Test func lowersTheLimitsWithTheBitrate() {
        let show = show("policy=maintain-resolution forced-level=serious", "mpph264enc name=e bps-min=0 ! fakesink")
        show.play()
        #expect(show.becomes { number(show, "bps") == 700_002 && number(show, "bps-max") == 700_002 })
        #expect(number(show, "bps-min") == 0)
        show.stage.go(GST_STATE_READY)
        #expect(number(show, "bps") == 1_000_003 && number(show, "bps-max") == 1_000_003)
    }
}
