import CGStreamer
public import GStreamer

extension ElementReference {
    /// Makes the element push the data that it holds, before it is replaced.
    ///
    /// It receives EOS at its sink pad, which `next` does not receive. An element that has received no data, or was
    /// flushed, would post an error, and is left alone. The caller is the streaming thread, and waits until the data is
    /// pushed.
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
                // A flush removes the segment, which the next data brings back: a decoder that was flushed holds nothing.
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
