import AnalogVideoModel
import CGStreamer
import CGStreamerCheck
import Testing

/// A filter between a fake source and a fake sink, in PLAYING for as long as this lives.
final class Stream: @unchecked Sendable {  // A pad may be pushed to and flushed from different threads.
    let filter: Filter
    let harness: UnsafeMutablePointer<GstHarness>

    init(_ filter: Filter = Filter(), caps: String? = nil) {
        self.filter = filter
        harness = gst_harness_new_with_element(filter.element, "sink", "src")
        gst_harness_play(harness)
        if let caps { gst_harness_set_src_caps_str(harness, caps) }
    }

    convenience init(_ properties: [String: String], caps: String) { self.init(Filter(properties), caps: caps) }

    deinit { gst_harness_teardown(harness) }

    /// Goes to NULL and back, and begins a new stream.
    func restart(caps: String) {
        gst_element_set_state(filter.element, GST_STATE_NULL)
        gst_element_set_state(filter.element, GST_STATE_PLAYING)
        gst_harness_push_event(harness, gst_event_new_stream_start("again"))
        gst_harness_set_src_caps_str(harness, caps)
    }

    /// Offers a format in mid-stream; false when it is refused.
    func offer(_ caps: String) -> Bool {
        guard let parsed = gst_caps_from_string(caps) else { return false }
        defer { gst_caps_unref(parsed) }
        // Past the harness, whose pad keeps an event that was refused, and says yes.
        let pad = gst_element_get_static_pad(filter.element, "sink")
        defer { gst_object_unref(pad) }
        return gst_pad_send_event(pad, gst_event_new_caps(parsed)) != 0
    }

    /// Sends an event that the receiver then owns.
    @discardableResult
    func push(event: UnsafeMutablePointer<GstEvent>) -> Bool { gst_harness_push_event(harness, event) != 0 }

    /// Sends a buffer that the receiver then owns.
    @discardableResult
    func push(_ buffer: Buffer) -> GstFlowReturn { gst_harness_push(harness, buffer) }

    /// The oldest buffer that came out, which the caller owns.
    func pull() -> Buffer? { gst_harness_try_pull(harness) }

    /// The frame that comes out for a frame; nil when none does.
    func play(_ bytes: [UInt8], pts: UInt64? = nil, flags: UInt32 = 0) -> [UInt8]? {
        let buffer = newBuffer(bytes, pts: pts)
        buffer.pointee.mini_object.flags |= flags
        guard push(buffer) == GST_FLOW_OK, let output = pull() else { return nil }
        defer { gst_buffer_unref(output) }
        return output.bytes
    }
}

func newBuffer(_ bytes: [UInt8], pts: UInt64? = nil) -> Buffer {
    _ = Setup.once
    let buffer = gst_buffer_new_allocate(nil, gsize(bytes.count), nil)!
    gst_buffer_fill(buffer, 0, bytes, gsize(bytes.count))
    if let pts { buffer.pointee.pts = GstClockTime(pts) }
    return buffer
}

extension Buffer {
    /// All bytes of the buffer, padding included.
    var bytes: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Int(gst_buffer_get_size(self)))
        gst_buffer_extract(self, 0, &bytes, gsize(bytes.count))
        return bytes
    }
}

/// Flags of buffers with fields.
enum FieldFlags {
    static let interlaced = GST_VIDEO_BUFFER_FLAG_INTERLACED.rawValue
    static let topFirst = GST_VIDEO_BUFFER_FLAG_TFF.rawValue
    static let oneField = GST_VIDEO_BUFFER_FLAG_ONEFIELD.rawValue
}

/// GStreamer's number of a format.
///
/// Not from `gst_video_format_from_string`: it says that it reads no memory (G_GNUC_CONST), so the text may be
/// gone by the time it is called.
func number(of format: PixelFormat) -> GstVideoFormat {
    var info = GstVideoInfo()
    let caps = gst_caps_from_string(format.caps(1, 1))
    defer { gst_caps_unref(caps) }
    gst_video_info_from_caps(&info, caps)
    return info.finfo.pointee.format
}
