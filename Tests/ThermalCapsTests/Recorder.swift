import CGStreamer
import GstTestSupport
import Testing

/// A branch that the test adds behind a `tee` while the pipeline plays.
struct Recorder {
    private let tee: UnsafeMutablePointer<GstElement>
    private let bin: UnsafeMutablePointer<GstElement>
    private let branch: UnsafeMutablePointer<GstPad>?
    private let entrance: UnsafeMutablePointer<GstPad>?

    init(_ line: String, behind tee: String, of rig: ThermalRig) {
        let made = gst_parse_bin_from_description(line, 1, nil)!
        bin = UnsafeMutableRawPointer(made).assumingMemoryBound(to: GstElement.self)
        self.tee = rig.pipeline.element(tee)
        gst_bin_add(UnsafeMutableRawPointer(rig.pipeline.raw).assumingMemoryBound(to: GstBin.self), bin)
        gst_element_sync_state_with_parent(bin)
        entrance = gst_element_get_static_pad(bin, "sink")
        branch = gst_element_request_pad_simple(self.tee, "src_%u")
        #expect(gst_pad_link(branch, entrance) == GST_PAD_LINK_OK)
    }

    func leave() {
        gst_pad_unlink(branch, entrance)
        gst_element_release_request_pad(tee, branch)
        gst_element_set_state(bin, GST_STATE_NULL)
        gst_object_unref(branch)
        gst_object_unref(entrance)
    }
}
