import CGStreamer
import CGStreamerCheck
import GStreamer
import GstTestSupport
import Testing

@Suite struct AnimationTests {
    private let second: GstClockTime = 1_000_000_000

    @Test func controlBindingSetsPropertyPerFrame() {
        let harness = makeHarness()
        animate("gain", of: harness.subject, from: 0, to: 1)
        let bytes = (0...4).map { harness.firstByteAfterPassing(pts: GstClockTime($0) * second / 4) }
        #expect(bytes == [0, 63, 127, 191, 255])
        #expect(harness.subject.get("gain") == "1")
    }

    /// A filter in passthrough must still synchronize `enabled` for each buffer.
    @Test func controlBindingEndsPassthrough() {
        let harness = makeHarness()
        animate("enabled", of: harness.subject, from: 0, to: 1)
        let bytes = (0...2).map { harness.firstByteAfterPassing(pts: GstClockTime($0) * second / 2) }
        #expect(bytes.first == 0)
        #expect(bytes.last == 63)
    }

    @Test func framesWithoutPTSDoNotChangeControlledProperties() {
        let harness = makeHarness()
        animate("gain", of: harness.subject, from: 0, to: 1)
        #expect(harness.firstByteAfterPassing(pts: second / 2) == 127)
        #expect(harness.firstByteAfterPassing(pts: nil) == 127)
    }

    @Test func bytesSegmentDoesNotChangeControlledProperties() {
        let harness = makeHarness()
        animate("gain", of: harness.subject, from: 0, to: 1)
        var segment = GstSegment()
        gst_segment_init(&segment, GST_FORMAT_BYTES)
        gst_harness_push_event(harness.raw, gst_event_new_segment(&segment))
        #expect(harness.firstByteAfterPassing(pts: second) == 63)
    }

    private func animate(_ name: String, of subject: TestElement, from start: Double, to end: Double) {
        let source = gst_interpolation_control_source_new()!
        g_object_set_property_enum(source, "mode", Int32(GST_INTERPOLATION_MODE_LINEAR.rawValue))
        let values = UnsafeMutableRawPointer(source).assumingMemoryBound(to: GstTimedValueControlSource.self)
        gst_timed_value_control_source_set(values, 0, start)
        gst_timed_value_control_source_set(values, second, end)
        let object = UnsafeMutableRawPointer(subject.element).assumingMemoryBound(to: GstObject.self)
        gst_object_add_control_binding(
            object,
            gst_direct_control_binding_new(
                object, name, UnsafeMutableRawPointer(source).assumingMemoryBound(to: GstControlSource.self)))
        gst_object_unref(source)
    }
}

private func g_object_set_property_enum(
    _ object: UnsafeMutablePointer<GstControlSource>, _ name: String, _ number: Int32
) {
    var value = GValue()
    g_value_init(&value, gst_interpolation_mode_get_type())
    g_value_set_enum(&value, number)
    g_object_set_property(UnsafeMutableRawPointer(object).assumingMemoryBound(to: GObject.self), name, &value)
}
