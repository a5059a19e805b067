import CGStreamer

// Bins and the elements in them. For an element that is not a bin, the lists are empty.

extension ElementReference {
    /// Whether the element is a bin.
    ///
    /// The corresponding C macro is `GST_IS_BIN`.
    public var isBin: Bool { cgst_is_bin(raw) != 0 }

    /// The elements of this bin and of the bins in it.
    ///
    /// The corresponding C function is `gst_bin_iterate_recurse`.
    public func allElements() -> [ElementReference] { elements(gst_bin_iterate_recurse) }

    /// The sinks of this bin; an inner bin that contains sinks counts as one sink.
    ///
    /// The corresponding C function is `gst_bin_iterate_sinks`.
    public func sinks() -> [ElementReference] { elements(gst_bin_iterate_sinks) }

    /// The sources of this bin; an inner bin that contains sources counts as one source.
    ///
    /// The corresponding C function is `gst_bin_iterate_sources`.
    public func sources() -> [ElementReference] { elements(gst_bin_iterate_sources) }

    private func elements(
        _ iterate: (UnsafeMutablePointer<GstBin>?) -> UnsafeMutablePointer<GstIterator>?
    ) -> [ElementReference] {
        guard isBin, let iterator = iterate(bin) else { return [] }
        defer { gst_iterator_free(iterator) }
        var found: [ElementReference] = []
        var value = GValue()
        defer { g_value_unset(&value) }
        while true {
            switch gst_iterator_next(iterator, &value) {
            case GST_ITERATOR_OK:
                if let element = g_value_get_object(&value) {
                    found.append(
                        ElementReference(UnsafeMutableRawPointer(element).assumingMemoryBound(to: GstElement.self)))
                }
                g_value_reset(&value)
            case GST_ITERATOR_RESYNC:
                found = []
                gst_iterator_resync(iterator)
            default: return found
            }
        }
    }

    /// The element `name` of this bin or of a bin in it; nil if there is none.
    ///
    /// The corresponding C function is `gst_bin_get_by_name`.
    public func element(named name: String) -> ElementReference? {
        guard isBin, let found = gst_bin_get_by_name(bin, name) else { return nil }
        defer { gst_object_unref(found) }
        return ElementReference(found)
    }

    private var bin: UnsafeMutablePointer<GstBin> { UnsafeMutableRawPointer(raw).assumingMemoryBound(to: GstBin.self) }
}

extension ElementHost {
    /// The outermost bin around the element, which may be the element itself; nil if there is none.
    ///
    /// The corresponding C function is `gst_object_get_parent`.
    public var outermostBin: ElementReference? {
        var top = retained()
        while let parent = top?.parent { top = parent }
        return top?.isBin == true ? top : nil
    }

    /// The element `name` of the same pipeline; nil if there is none.
    public func neighbour(named name: String) -> ElementReference? { outermostBin?.element(named: name) }
}
