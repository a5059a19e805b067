import CGStreamer
public import GStreamer

extension ElementReference {
    /// Makes a source and the elements behind it discard their data; the running time continues.
    ///
    /// It waits for the streaming thread, so it is not called on that. The corresponding C function is
    /// `gst_element_send_event`.
    public func flushStream() {
        withUnsafePointer { raw in
            let element = raw.assumingMemoryBound(to: GstElement.self)
            gst_element_send_event(element, gst_event_new_flush_start())
            gst_element_send_event(element, gst_event_new_flush_stop(0))
        }
    }
}
