import CGStreamer
import GstTestSupport

/// Takes the running times from the buffers that arrive at an element.
final class Untimed {
    enum Kind: CaseIterable {
        /// The buffers have no PTS.
        case withoutTimestamp
        /// The segment begins an hour after the buffers.
        case outsideTheSegment
        /// The segment counts bytes.
        case inASegmentOfBytes
    }

    private let pad: UnsafeMutablePointer<GstPad>
    private let probe: gulong

    init(_ kind: Kind, _ element: RawElement) {
        pad = gst_element_get_static_pad(element, "sink")
        switch kind {
        case .withoutTimestamp:
            probe = gst_pad_add_probe(
                pad, GST_PAD_PROBE_TYPE_BUFFER,
                { _, info, _ in
                    info!.pointee.data!.assumingMemoryBound(to: GstBuffer.self).pointee.pts = .max
                    return GST_PAD_PROBE_OK
                }, nil, nil)
        case .outsideTheSegment:
            probe = gst_pad_add_probe(
                pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
                { _, info, _ in
                    Untimed.replaceSegment(info!) { segment in
                        segment.pointee.start = 3_600_000_000_000
                        segment.pointee.time = segment.pointee.start
                    }
                    return GST_PAD_PROBE_OK
                }, nil, nil)
        case .inASegmentOfBytes:
            probe = gst_pad_add_probe(
                pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
                { _, info, _ in
                    Untimed.replaceSegment(info!) { gst_segment_init($0, GST_FORMAT_BYTES) }
                    return GST_PAD_PROBE_OK
                }, nil, nil)
        }
    }

    /// Lets the next buffers pass unchanged; a segment remains.
    func end() {
        gst_pad_remove_probe(pad, probe)
        gst_object_unref(pad)
    }

    private static func replaceSegment(
        _ info: UnsafeMutablePointer<GstPadProbeInfo>, _ change: (UnsafeMutablePointer<GstSegment>) -> Void
    ) {
        let event = info.pointee.data!.assumingMemoryBound(to: GstEvent.self)
        guard event.pointee.type == GST_EVENT_SEGMENT else { return }
        var segment = GstSegment()
        gst_event_copy_segment(event, &segment)
        change(&segment)
        info.pointee.data = UnsafeMutableRawPointer(gst_event_new_segment(&segment))
        gst_event_unref(event)
    }
}
