import CGStreamer
import Dispatch
import GstTestSupport
import Testing

/// Tests encoders in different places of the pipeline.
extension EncoderTests {
    @Test func lowersEachEncoderWhileItIsInThePipeline() {
        let rig = makeRig("policy=maintain-resolution forced-level=serious", "identity name=e ! fakesink name=out")
        rig.play()
        #expect(eventually { rig.output.frames > 3 && rig.action == "none" })
        let first = replace(rig, "e", by: "mpph264enc")
        #expect(eventually { rig.action == "bitrate 70%" && value(first, "bps") == 700_002 })
        let second = replace(rig, "e", by: "qsvh264enc")
        #expect(eventually { value(second, "bitrate") == 1392 })
        #expect(eventually { value(first, "bps") == 1_000_003 })
        let third = replace(rig, "e", by: "identity")
        #expect(eventually { rig.action == "none" && value(second, "bitrate") == 2000 })
        for element in [first, second, third] { gst_object_unref(element) }
    }

    @Test func lowersTheFirstEncoderOfTwoBranchesAlsoInABin() {
        let rig = makeRig(
            "policy=maintain-resolution forced-level=serious",
            "tee name=t t. ! queue ! e. e. ! fakesink t. ! queue ! mpph264enc name=other ! fakesink ( mpph264enc name=e )"
        )
        rig.play()
        #expect(eventually { number(rig, "bps") == 700_002 })
        #expect(number(rig, "bps", of: "other") == 1_000_003)
    }

    @Test func lowersTheNamedEncoderElsewhere() {
        let rig = makeRig(
            "policy=maintain-resolution forced-level=serious encoder=other",
            "fakesink videotestsrc is-live=true ! other. other. ! fakesink ( mpph264enc name=other )")
        rig.play()
        #expect(eventually { number(rig, "bps", of: "other") == 700_002 && rig.action == "bitrate 70%" })
    }

    /// Replaces the element `name` between two frames; the caller receives a reference to the new element.
    private func replace(_ rig: ThermalRig, _ name: String, by factory: String) -> UnsafeMutablePointer<GstElement> {
        let old = rig.pipeline.element(name)
        let sink = gst_element_get_static_pad(old, "sink")!
        let before = gst_pad_get_peer(sink)!
        let bin = UnsafeMutableRawPointer(rig.pipeline.raw).assumingMemoryBound(to: GstBin.self)
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
        let out = rig.pipeline.element("out")
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
