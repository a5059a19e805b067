import CGStreamer
import CGStreamerCheck

public typealias RawBuffer = UnsafeMutablePointer<GstBuffer>

/// An element in PLAYING between the two pads of a `GstHarness`.
public final class Harness: @unchecked Sendable {  // Different threads may push and flush.
    public let subject: TestElement
    public let raw: UnsafeMutablePointer<GstHarness>

    public init(_ subject: TestElement, caps: String? = nil) {
        self.subject = subject
        raw = gst_harness_new_with_element(subject.element, "sink", "src")
        gst_harness_play(raw)
        if let caps { gst_harness_set_src_caps_str(raw, caps) }
    }

    deinit { gst_harness_teardown(raw) }

    // MARK: Events and states

    /// Sends the events that begin a stream.
    public func begin(caps: String?) {
        push(event: gst_event_new_stream_start("test"))
        if let caps { gst_harness_set_src_caps_str(raw, caps) } else { beginSegment() }
    }

    /// Sends a TIME segment that starts at `start`.
    @discardableResult
    public func beginSegment(at start: UInt64 = 0) -> Bool {
        var segment = GstSegment()
        gst_segment_init(&segment, GST_FORMAT_TIME)
        segment.start = guint64(start)
        segment.time = segment.start
        return push(event: gst_event_new_segment(&segment))
    }

    /// Sets the element to NULL, then to PLAYING, and begins a stream.
    public func restart(caps: String) {
        gst_element_set_state(subject.element, GST_STATE_NULL)
        gst_element_set_state(subject.element, GST_STATE_PLAYING)
        begin(caps: caps)
    }

    /// Sends caps in midstream; returns false if the element refuses the caps.
    public func offer(_ caps: String) -> Bool {
        guard let parsed = gst_caps_from_string(caps) else { return false }
        defer { gst_caps_unref(parsed) }
        // Send the event directly, because the pad of the harness would store a refused event and return true.
        let pad = gst_element_get_static_pad(subject.element, "sink")
        defer { gst_object_unref(pad) }
        return gst_pad_send_event(pad, gst_event_new_caps(parsed)) != 0
    }

    /// Sends an event (transfer full).
    @discardableResult
    public func push(event: UnsafeMutablePointer<GstEvent>) -> Bool { gst_harness_push_event(raw, event) != 0 }

    // MARK: Buffers

    /// Sends a buffer (transfer full).
    @discardableResult
    public func push(_ buffer: RawBuffer) -> GstFlowReturn { gst_harness_push(raw, buffer) }

    /// The oldest received buffer (transfer full); nil if there is none.
    public func pull() -> RawBuffer? { gst_harness_try_pull(raw) }

    /// Sends a frame and returns the bytes of the frame that arrives; nil if no frame arrives.
    public func play(_ bytes: [UInt8], pts: UInt64? = nil, flags: UInt32 = 0) -> [UInt8]? {
        let buffer = newBuffer(bytes, pts: pts)
        buffer.pointee.mini_object.flags |= flags
        guard push(buffer) == GST_FLOW_OK, let output = pull() else { return nil }
        defer { gst_buffer_unref(output) }
        return output.bytes
    }
}

public func newBuffer(_ bytes: [UInt8], pts: UInt64? = nil) -> RawBuffer {
    _ = Setup.once
    let buffer = gst_buffer_new_allocate(nil, gsize(bytes.count), nil)!
    gst_buffer_fill(buffer, 0, bytes, gsize(bytes.count))
    if let pts { buffer.pointee.pts = GstClockTime(pts) }
    return buffer
}

extension RawBuffer {
    /// All bytes of the buffer, including padding.
    public var bytes: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Int(gst_buffer_get_size(self)))
        gst_buffer_extract(self, 0, &bytes, gsize(bytes.count))
        return bytes
    }
}
