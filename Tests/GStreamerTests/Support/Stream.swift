import CGStreamer
import CGStreamerCheck

typealias Buffer = UnsafeMutablePointer<GstBuffer>

/// An element between a fake source and a fake sink.
///
/// It is alive, in PLAYING, for as long as this is.
final class Stream {
    let subject: Subject
    let harness: UnsafeMutablePointer<GstHarness>

    static let smallCaps = "video/x-raw,format=BGRx,width=4,height=2,framerate=30/1"

    init(_ subject: Subject = Subject(), caps: String? = Stream.smallCaps) {
        self.subject = subject
        harness = gst_harness_new_with_element(subject.element, "sink", "src")
        gst_harness_play(harness)
        if let caps { gst_harness_set_src_caps_str(harness, caps) }
    }

    deinit { gst_harness_teardown(harness) }

    /// Sends the events a new stream begins with.
    func begin(caps: String?) {
        gst_harness_push_event(harness, gst_event_new_stream_start("test"))
        if let caps { return gst_harness_set_src_caps_str(harness, caps) }
        var segment = GstSegment()
        gst_segment_init(&segment, GST_FORMAT_TIME)
        gst_harness_push_event(harness, gst_event_new_segment(&segment))
    }

    /// A new black frame.
    func frame(bytes: Int = 32, pts: GstClockTime? = nil) -> Buffer {
        let buffer = gst_buffer_new_allocate(nil, gsize(bytes), nil)!
        gst_buffer_memset(buffer, 0, 0, gsize(bytes))
        if let pts { buffer.pointee.pts = pts }
        return buffer
    }

    /// Sends a frame that the receiver then owns.
    @discardableResult
    func push(_ buffer: Buffer) -> GstFlowReturn { gst_harness_push(harness, buffer) }

    /// The oldest frame that came out, which the caller owns.
    func pull() -> Buffer? { gst_harness_try_pull(harness) }

    /// The first byte of the frame that comes out for a new frame; nil when none does.
    func firstByteAfterPassing(pts: GstClockTime? = nil) -> UInt8? {
        push(frame(pts: pts))
        guard let buffer = pull() else { return nil }
        defer { gst_buffer_unref(buffer) }
        var byte: UInt8 = 0
        gst_buffer_extract(buffer, 0, &byte, 1)
        return byte
    }
}
