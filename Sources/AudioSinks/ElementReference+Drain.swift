import CGStreamer
public import GStreamer

extension ElementReference {
    /// Makes the element push its remaining data, before it is replaced.
    ///
    /// The sink pad of the element receives EOS, and a probe at `next` drops this event. An element without data, or
    /// after a flush, would post an error and receives no EOS. The streaming thread calls this method, and waits until
    /// the data is pushed.
    public func drain(into next: ElementReference) {
        withUnsafePointer { element in
            next.withUnsafePointer { next in
                guard element.pointee.numsrcpads > 0,
                    let input = gst_element_get_static_pad(element, "sink"),
                    let output = gst_element_get_static_pad(next, "sink")
                else { return }
                defer {
                    gst_object_unref(input)
                    gst_object_unref(output)
                }
                // A flush removes the segment, and the next data restores it. So without a segment, a decoder has no
                // data.
                guard let segment = gst_pad_get_sticky_event(output, GST_EVENT_SEGMENT, 0) else { return }
                gst_event_unref(segment)
                let probe = gst_pad_add_probe(
                    output, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
                    { _, info, _ in
                        let event = info?.pointee.data?.assumingMemoryBound(to: GstEvent.self)
                        return event?.pointee.type == GST_EVENT_EOS ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK
                    }, nil, nil)
                gst_pad_send_event(input, gst_event_new_eos())
                gst_pad_remove_probe(output, probe)
            }
        }
    }
}
