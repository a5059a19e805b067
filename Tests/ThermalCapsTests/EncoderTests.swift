import CGStreamer
import Foundation
import StageSupport
import Testing

/// What becomes of encoders' bitrates, and what is said of it.
@Suite(.serialized) struct EncoderTests {
    private static let source =
        "videotestsrc is-live=true pattern=ball ! video/x-raw,format=I420,width=320,height=240,framerate=30/1"

    private func show(_ settings: String, _ after: String, source: String = source) -> Show {
        FakeEncoder.ready
        return Show(source, settings, after)
    }

    private func number(_ show: Show, _ property: String, of name: String = "e") -> Double {
        Double(show.stage.get(property, of: name)) ?? .nan
    }

    /// What is said until something is, and some rounds after that.
    private func listen(to show: Show, until text: String) -> [String] {
        var heard: [String] = []
        _ = show.becomes {
            heard += show.stage.listen(seconds: 0.05)
            return heard.contains { $0.contains(text) }
        }
        return heard + show.stage.listen(seconds: 0.3)
    }

    // MARK: Encoders that choose

    @Test func anEncoderThatChoosesIsLoweredWhenItsChoiceIsKnown() {
        let show = show("policy=bitrate-first forced-level=serious", "nvh264enc name=e ! fakesink")
        show.play()
        #expect(show.becomes { show.level == "serious" && show.output.frames > 2 })
        // What is not done yet is not claimed.
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

    /// It tells of its choice from its streaming thread, with new caps or with a frame.
    @Test(arguments: [true, false])
    func aChoiceThatIsReadBackGoesBackToAChoice(withCaps: Bool) {
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
        // Fewer frames, and it would have chosen less.
        show.stage.set("forced-level", to: "critical")
        #expect(
            show.becomes { show.action == "5/1 fps, bitrate 70%" || show.action.hasPrefix("5/1") }, "\(show.action)")
        #expect(show.becomes { [116, 117].contains(number(show, "bitrate")) }, "\(number(show, "bitrate"))")
        show.stage.set("forced-level", to: "nominal")
        #expect(show.becomes { show.action == "none" })
        #expect(number(show, "bitrate") == 0)
        // What the user says is his all the same.
        show.stage.set("bitrate", to: "2000", of: "e")
        show.stage.set("forced-level", to: "serious")
        #expect(show.becomes { number(show, "bitrate") == 1400 && show.action == "bitrate 70%" })
        show.stage.set("forced-level", to: "nominal")
        #expect(show.becomes { show.action == "none" && number(show, "bitrate") == 2000 })
    }

    @Test func vpxGoesOnChoosingByTheBitsOfAPixel() {
        guard installed("vp8enc") else { return }
        let show = show(
            "policy=balanced", "vp8enc name=e deadline=1 cpu-used=16 end-usage=cbr bits-per-pixel=0.2 ! fakesink")
        show.play()
        #expect(show.becomes { show.output.frames > 3 && number(show, "target-bitrate") == 460_000 })
        show.stage.set("forced-level", to: "serious")
        #expect(show.becomes { show.action == "20/1 fps, bitrate 70%" }, "\(show.action)")
        // Never more than it made at first.
        #expect(show.becomes { number(show, "target-bitrate") < 256_000 * 0.7 })
        #expect(number(show, "bits-per-pixel") < 0.14)
        show.stage.set("forced-level", to: "critical")
        #expect(show.becomes { show.action.hasPrefix("80x60") })
        // Automatic means less for a smaller picture.
        #expect(show.becomes { number(show, "target-bitrate") < 10_000 }, "\(number(show, "target-bitrate"))")
        show.stage.set("forced-level", to: "nominal")
        #expect(show.becomes { show.action == "none" && number(show, "target-bitrate") == 460_000 })
        #expect(number(show, "bits-per-pixel") == Double(Float(0.2)))
    }

    @Test func vpxWithABitrateOfTheUsersHasThatLowered() {
        guard installed("vp8enc") else { return }
        let show = show(
            "policy=maintain-resolution",
            "vp8enc name=e deadline=1 cpu-used=16 target-bitrate=500000 bits-per-pixel=0.2 ! fakesink")
        show.play()
        #expect(show.becomes { show.output.frames > 3 })
        show.stage.set("forced-level", to: "serious")
        #expect(show.becomes { show.action == "bitrate 70%" && number(show, "target-bitrate") == 350_000 })
        #expect(number(show, "bits-per-pixel") == Double(Float(0.2)))
        // He leaves it to the encoder, and so do we.
        show.stage.set("target-bitrate", to: "0", of: "e")
        #expect(show.becomes { number(show, "bits-per-pixel") < 0.15 }, "\(number(show, "bits-per-pixel"))")
        #expect(show.becomes { show.action == "bitrate 70%" })
        show.stage.set("forced-level", to: "nominal")
        #expect(show.becomes { number(show, "bits-per-pixel") == Double(Float(0.2)) })
        #expect(number(show, "target-bitrate") == 460_000 && show.action == "none")
    }

    /// Nothing but the size changes; who chooses the bitrate is found out all the same.
    @Test func vpxFollowsThePixelsWithoutAShare() {
        guard installed("vp8enc") else { return }
        let vp8 = "vp8enc name=e deadline=1 cpu-used=16 end-usage=cbr"
        for (setting, present, least) in [
            ("target-bitrate=400000", 400_000.0, 141_000.0...141_000), ("bits-per-pixel=0.2", 460_000, 1...116_000),
        ] {
            let show = show(
                "custom-ladder=\"video/x-raw;video/x-raw,width=160\"", "\(vp8) \(setting) ! fakesink")
            show.play()
            #expect(show.becomes { show.output.frames > 3 && number(show, "target-bitrate") == present })
            show.stage.set("forced-level", to: "serious")
            #expect(
                show.becomes { least.contains(number(show, "target-bitrate")) }, "\(number(show, "target-bitrate"))")
            #expect(
                show.becomes { show.action == (present == 400_000 ? "160x120, bitrate 35%" : "160x120") },
                "\(show.action)")
            show.stage.set("forced-level", to: "nominal")
            #expect(show.becomes { show.action == "none" && number(show, "target-bitrate") == present })
        }
    }

    /// On a machine that is hot from the start there is nothing to be measured before the first step.
    @Test func vpxWithABitrateOfTheUsersIsLoweredFromTheStart() {
        guard installed("vp8enc") else { return }
        let show = show(
            "custom-ladder=\"video/x-raw;video/x-raw,width=160\" forced-level=serious",
            "vp8enc name=e deadline=1 cpu-used=16 target-bitrate=400000 ! fakesink")
        show.play()
        // Less than a second of stream.
        #expect(show.becomes { show.output.frames > 15 || number(show, "target-bitrate") == 141_000 })
        #expect(number(show, "target-bitrate") == 141_000 && show.output.frames < 30)
        show.stage.set("forced-level", to: "nominal")
        #expect(show.becomes { show.action == "none" && number(show, "target-bitrate") == 400_000 })
    }

    @Test func vpxIsGivenABitrateWhileItsChoiceIsHeld() {
        guard installed("vp8enc") else { return }
        let show = show(
            "policy=maintain-resolution",
            "vp8enc name=e deadline=1 cpu-used=16 end-usage=cbr bits-per-pixel=0.2 ! fakesink")
        show.play()
        show.stage.set("forced-level", to: "serious")
        #expect(show.becomes { show.action == "bitrate 70%" && number(show, "bits-per-pixel") < 0.15 })
        show.stage.set("target-bitrate", to: "400000", of: "e")
        #expect(show.becomes { number(show, "target-bitrate") == 280_000 })
        #expect(number(show, "bits-per-pixel") == Double(Float(0.2)))
        show.stage.set("forced-level", to: "nominal")
        #expect(show.becomes { number(show, "target-bitrate") == 400_000 && show.action == "none" })
    }

    // MARK: Encoders that do not follow

    @Test(arguments: [
        ("x264enc", "pass=quant"), ("x264enc", "vbv-buf-capacity=0"), ("x265enc", "qp=30"),
        ("openh264enc", "rate-control=off"), ("av1enc", "end-usage=q max-quantizer=60"),
        ("svtav1enc", "name=e"), ("vah265enc", "name=e"), ("v4l2h264enc", "name=e"),
        ("v4l2h264enc", "extra-controls=controls,repeat_sequence_header=1"),
    ])
    func whatIsNotFollowedIsNotClaimed(factory: String, setting: String) {
        FakeEncoder.ready
        guard installed(factory) else { return }
        let show = show("policy=maintain-resolution forced-level=serious", "\(factory) \(setting) ! fakesink")
        show.play()
        let heard = listen(to: show, until: "stays as it is")
        let infos = heard.filter { $0.hasPrefix("info") }
        #expect(infos.count == 1 && infos.first?.contains("stays as it is") == true, "\(heard)")
        #expect(show.action == "none")
        #expect(!heard.contains { $0.contains("bitrate 70") })
        // A rung of which only the bitrate would remain is none.
        show.stage.set("forced-level", to: "critical")
        #expect(show.becomes { show.action == "25/1 fps" || show.action.contains("/1 fps") })
        #expect(!show.action.contains("bitrate"))
    }

    @Test func anEncoderThatTakesNoOtherValueIsFoundOut() {
        let show = show("policy=maintain-resolution forced-level=serious", "nvh265enc name=e ! fakesink")
        show.play()
        let heard = listen(to: show, until: "takes no other")
        #expect(heard.filter { $0.contains("takes no other") }.count == 1, "\(heard)")
        #expect(show.action == "none")
    }

    /// Where a level goes into a file's head, another bitrate would end the recording.
    @Test(arguments: [
        "openh264enc bitrate=4000000 name=e ! h264parse",
        "x265enc bitrate=4000 speed-preset=ultrafast tune=zerolatency name=e ! h265parse",
    ])
    func aMuxerThatWouldRefuseItsCodecDataKeepsTheBitrate(encoder: String) {
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
        // Who knows better may say so.
        show.stage.set("allow-resolution-change", to: "true")
        show.stage.set("policy", to: "bitrate-first")
        show.stage.set("forced-level", to: "serious")
        #expect(show.becomes { show.stage.get("bitrate", of: "e") != full })
    }

    /// A recording that begins while the bitrate is lowered keeps it so.
    @Test func aMuxerThatComesLateIsSparedTheWayBackToo() {
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

    @Test func aDriversOwnValueIsLeftAloneAndWhatHelpsIsSaid() {
        let show = show("policy=bitrate-first forced-level=serious", "v4l2h264enc name=e ! fakesink")
        // A file, not a device: it has no control.
        let file = open("/dev/null", O_RDWR)
        FakeEncoder.change(show.stage.element("e"), "device-fd", to: file)
        show.play()
        let heard = listen(to: show, until: "stays as it is")
        #expect(heard.contains { $0.contains("nobody knows what it is") }, "\(heard)")
        // What he does about it counts at once.
        show.stage.set("extra-controls", to: "controls,repeat_sequence_header=1,video_bitrate=4000001", of: "e")
        #expect(show.becomes { show.action.hasPrefix("bitrate 49") })
        #expect(show.stage.get("extra-controls", of: "e").contains("video_bitrate=(int)1960000"))
        #expect(show.stage.get("extra-controls", of: "e").contains("repeat_sequence_header=(int)1"))
        show.stage.set("forced-level", to: "nominal")
        #expect(show.becomes { show.action == "none" })
        #expect(show.stage.get("extra-controls", of: "e").contains("video_bitrate=(int)4000001"))
        close(file)
    }

    /// A structure that leaves the bitrate out changes nothing at the driver, which cannot be asked.
    @Test(arguments: ["bitrate-first", "balanced"])
    func whatASilentDriverWasGivenIsTakenBackThoughTheFieldIsGone(policy: String) {
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

    // MARK: The user's values

    @Test func whatADriverRoundsComesBackExactly() {
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

    @Test func whatTheUserSetsMeanwhileIsTheCeiling() {
        guard installed("x264enc") else { return }
        let show = show("policy=maintain-resolution forced-level=serious", "x264enc name=e bitrate=1000 ! fakesink")
        show.play()
        #expect(show.becomes { number(show, "bitrate") == 700 })
        show.stage.set("bitrate", to: "2000", of: "e")
        #expect(show.becomes { number(show, "bitrate") == 1400 })
        // Exactly what it has: now that is what he wants.
        show.stage.set("bitrate", to: "1400", of: "e")
        #expect(show.becomes { number(show, "bitrate") == 980 })
        // Other settings are no news.
        show.stage.set("vbv-buf-capacity", to: "500", of: "e")
        _ = show.stage.listen(seconds: 0.2)
        #expect(number(show, "bitrate") == 980 && show.action == "bitrate 70%")
        show.stage.set("forced-level", to: "nominal")
        #expect(show.becomes { number(show, "bitrate") == 1400 })
        _ = show.stage.listen(seconds: 0.1)
        #expect(number(show, "bitrate") == 1400 && show.action == "none")
    }

    @Test func limitsMoveWithTheBitrate() {
        let show = show("policy=maintain-resolution forced-level=serious", "mpph264enc name=e bps-min=0 ! fakesink")
        show.play()
        #expect(show.becomes { number(show, "bps") == 700_002 && number(show, "bps-max") == 700_002 })
        #expect(number(show, "bps-min") == 0)
        show.stage.go(GST_STATE_READY)
        #expect(number(show, "bps") == 1_000_003 && number(show, "bps-max") == 1_000_003)
    }

    // MARK: Where encoders are

    @Test func anEncoderThatComesLaterAndGoesAgainHasItsShareMeanwhile() {
        let show = show("policy=maintain-resolution forced-level=serious", "identity name=e ! fakesink name=out")
        show.play()
        #expect(show.becomes { show.output.frames > 3 && show.action == "none" })
        let first = replace(show, "e", by: "mpph264enc")
        #expect(show.becomes { show.action == "bitrate 70%" && value(first, "bps") == 700_002 })
        let second = replace(show, "e", by: "qsvh264enc")
        #expect(show.becomes { value(second, "bitrate") == 1392 })
        #expect(show.becomes { value(first, "bps") == 1_000_003 })
        let third = replace(show, "e", by: "identity")
        #expect(show.becomes { show.action == "none" && value(second, "bitrate") == 2000 })
        for element in [first, second, third] { gst_object_unref(element) }
    }

    @Test func ofTwoBranchesTheFirstIsTakenAndBinsAreLookedInto() {
        let show = show(
            "policy=maintain-resolution forced-level=serious",
            "tee name=t t. ! queue ! e. e. ! fakesink t. ! queue ! mpph264enc name=other ! fakesink ( mpph264enc name=e )"
        )
        show.play()
        #expect(show.becomes { number(show, "bps") == 700_002 })
        #expect(number(show, "bps", of: "other") == 1_000_003)
    }

    @Test func anEncoderElsewhereCanBeNamed() {
        let show = show(
            "policy=maintain-resolution forced-level=serious encoder=other",
            "fakesink videotestsrc is-live=true ! other. other. ! fakesink ( mpph264enc name=other )")
        show.play()
        #expect(show.becomes { number(show, "bps", of: "other") == 700_002 && show.action == "bitrate 70%" })
    }

    /// Puts another element in the place of `name`, between two frames; the caller owns what is returned.
    private func replace(_ show: Show, _ name: String, by factory: String) -> UnsafeMutablePointer<GstElement> {
        let old = show.stage.element(name)
        let sink = gst_element_get_static_pad(old, "sink")!
        let before = gst_pad_get_peer(sink)!
        let bin = UnsafeMutableRawPointer(show.stage.pipeline).assumingMemoryBound(to: GstBin.self)
        let new = gst_element_factory_make(factory, nil)!
        gst_object_ref_sink(new)
        let blocked = DispatchSemaphore(value: 0)
        let probe = gst_pad_add_probe(
            before, GST_PAD_PROBE_TYPE_BLOCK_DOWNSTREAM,
            { _, _, data in
                Unmanaged<DispatchSemaphore>.fromOpaque(data!).takeUnretainedValue().signal()
                return GST_PAD_PROBE_OK
            }, Unmanaged.passUnretained(blocked).toOpaque(), nil)
        blocked.wait()
        let out = show.stage.element("out")
        gst_element_unlink(old, out)
        gst_object_ref(old)
        gst_bin_remove(bin, old)
        gst_element_set_state(old, GST_STATE_NULL)
        gst_object_unref(old)
        gst_object_set_name(UnsafeMutableRawPointer(new).assumingMemoryBound(to: GstObject.self), name)
        gst_bin_add(bin, new)
        let inside = gst_element_get_static_pad(new, "sink")!
        gst_pad_link(before, inside)
        gst_element_link(new, out)
        gst_element_sync_state_with_parent(new)
        gst_pad_remove_probe(before, probe)
        for pad in [sink, before, inside] { gst_object_unref(pad) }
        return new
    }

    private func value(_ element: UnsafeMutablePointer<GstElement>, _ property: String) -> Int32 {
        var value = GValue()
        g_value_init(&value, cgst_type_int())
        defer { g_value_unset(&value) }
        g_object_get_property(
            UnsafeMutableRawPointer(element).assumingMemoryBound(to: GObject.self), property, &value)
        return g_value_get_int(&value)
    }
}
