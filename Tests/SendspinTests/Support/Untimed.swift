import CGStreamer
import GstTestSupport

/// Takes the running times from the buffers that arrive at a playing element.
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
    /// The segment that the streaming thread sends before the next buffer; nil if there is none.
    private let segment = UnsafeMutablePointer<UnsafeMutablePointer<GstEvent>?>.allocate(capacity: 1)

    init(_ kind: Kind, _ element: RawElement) {
        pad = gst_element_get_static_pad(element, "sink")
        var new = GstSegment()
        switch kind {
        case .withoutTimestamp:
            segment.initialize(to: nil)
            probe = gst_pad_add_probe(
                pad, GST_PAD_PROBE_TYPE_BUFFER,
                { _, info, _ in
                    info!.pointee.data!.assumingMemoryBound(to: GstBuffer.self).pointee.pts = .max
                    return GST_PAD_PROBE_OK
                }, nil, nil)
            return
        case .outsideTheSegment:
            gst_segment_init(&new, GST_FORMAT_TIME)
            new.start = 3_600_000_000_000
            new.time = new.start
        case .inASegmentOfBytes: gst_segment_init(&new, GST_FORMAT_BYTES)
        }
        segment.initialize(to: gst_event_new_segment(&new))
        probe = gst_pad_add_probe(
            pad, GST_PAD_PROBE_TYPE_BUFFER,
            { pad, _, data in
                let segment = data!.assumingMemoryBound(to: UnsafeMutablePointer<GstEvent>?.self)
                if let event = segment.pointee {
                    segment.pointee = nil
                    gst_pad_send_event(pad, event)
                }
                return GST_PAD_PROBE_OK
            }, segment, nil)
    }

    /// Lets the next buffers pass unchanged; a segment remains.
    func end() {
        gst_pad_remove_probe(pad, probe)
        gst_object_unref(pad)
    }
}
