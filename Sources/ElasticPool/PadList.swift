import CGStreamer
import GStreamer

/// Pads, with a reference to each.
struct PadList: ~Copyable {
    private(set) var all: [UnsafeMutablePointer<GstPad>] = []

    /// The source pad of an element.
    init(sourceOf host: ElementHost) {
        let pad = host.withUnsafePointer { gst_element_get_static_pad($0, "src") } ?? nil
        if let pad { all.append(pad) }
    }

    /// The source pads that are linked internally to the sink pad `input`.
    init(linkedTo input: UnsafeMutablePointer<GstPad>) {
        guard let iterator = gst_pad_iterate_internal_links(input) else { return }
        defer { gst_iterator_free(iterator) }
        var value = GValue()
        defer { if value.g_type != 0 { g_value_unset(&value) } }
        while true {
            switch gst_iterator_next(iterator, &value) {
            case GST_ITERATOR_OK:
                if let pad = g_value_dup_object(&value) { all.append(pad.assumingMemoryBound(to: GstPad.self)) }
                g_value_reset(&value)
            case GST_ITERATOR_RESYNC:
                drop()
                gst_iterator_resync(iterator)
            default: return
            }
        }
    }

    deinit {
        for pad in all { gst_object_unref(pad) }
    }

    private mutating func drop() {
        for pad in all { gst_object_unref(pad) }
        all = []
    }
}
