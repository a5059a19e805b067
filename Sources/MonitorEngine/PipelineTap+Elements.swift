import CGStreamer

extension PipelineTap {
    /// Calls `body` for each element of a bin and of its nested bins.
    static func forEachElement(
        in bin: UnsafeMutablePointer<GstElement>, _ body: (UnsafeMutablePointer<GstElement>) -> Void
    ) {
        guard
            let elements = gst_bin_iterate_recurse(UnsafeMutableRawPointer(bin).assumingMemoryBound(to: GstBin.self))
        else { return }
        defer { gst_iterator_free(elements) }
        var value = GValue()
        defer { g_value_unset(&value) }
        while true {
            switch gst_iterator_next(elements, &value) {
            case GST_ITERATOR_OK:
                if let element = g_value_get_object(&value) {
                    body(UnsafeMutableRawPointer(element).assumingMemoryBound(to: GstElement.self))
                }
                g_value_reset(&value)
            case GST_ITERATOR_RESYNC: gst_iterator_resync(elements)
            default: return
            }
        }
    }
}
