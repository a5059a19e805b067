import CGStreamer
import MonitorPolicy

/// The segment of the frames that pass a pad; its streaming thread uses it.
struct PadSegment {
    private var segment = GstSegment()
    /// Whether the stream is in time, not in bytes.
    private var isTimed = true

    init() { gst_segment_init(&segment, GST_FORMAT_TIME) }

    /// The running time of a PTS; `FrameTimes.noPTS` outside of the segment.
    @inline(__always)
    mutating func runningTime(of pts: GstClockTime) -> UInt64 {
        // GstBaseSrc gives the first bytes of a file PTS 0, which is no time of a frame.
        if pts == 0, !isTimed { return FrameTimes.noPTS }
        return UInt64(gst_segment_to_running_time(&segment, GST_FORMAT_TIME, pts))
    }

    /// Takes the segment of a SEGMENT event.
    mutating func take(_ event: UnsafeMutablePointer<GstEvent>) {
        var new: UnsafePointer<GstSegment>?
        gst_event_parse_segment(event, &new)
        guard let new else { return }
        isTimed = new.pointee.format == GST_FORMAT_TIME
        if isTimed { segment = new.pointee } else { gst_segment_init(&segment, GST_FORMAT_TIME) }
    }

    /// Takes the sticky segment of a pad; if it has none, with `orPeer`, that of its peer.
    ///
    /// A hook is called before the sink pad has the sticky events that precede the buffer.
    mutating func read(from pad: UnsafeMutablePointer<GstPad>, orPeer: Bool) {
        guard let event = Self.sticky(of: pad) ?? (orPeer ? Self.stickyOfPeer(of: pad) : nil) else { return }
        defer { gst_event_unref(event) }
        take(event)
    }

    private static func stickyOfPeer(of pad: UnsafeMutablePointer<GstPad>) -> UnsafeMutablePointer<GstEvent>? {
        guard let peer = gst_pad_get_peer(pad) else { return nil }
        defer { gst_object_unref(peer) }
        return sticky(of: peer)
    }

    private static func sticky(of pad: UnsafeMutablePointer<GstPad>) -> UnsafeMutablePointer<GstEvent>? {
        gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0)
    }
}
