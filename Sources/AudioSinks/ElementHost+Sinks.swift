import CGStreamer
public import GStreamer

extension ElementHost {
    /// Number of sinks in the outermost bin around the element; a bin with sinks counts as one.
    ///
    /// The corresponding C function is `gst_bin_iterate_sinks`.
    public var sinkCount: Int {
        withUnsafePointer { element -> Int in
            var top = gst_object_ref(element).map {
                UnsafeMutableRawPointer($0).assumingMemoryBound(to: GstObject.self)
            }
            while let here = top, let above = gst_object_get_parent(here) {
                gst_object_unref(here)
                top = above
            }
            guard let top else { return 0 }
            defer { gst_object_unref(top) }
            guard g_type_is_a(cgst_type_of_instance(top), gst_bin_get_type()) != 0,
                let sinks = gst_bin_iterate_sinks(UnsafeMutableRawPointer(top).assumingMemoryBound(to: GstBin.self))
            else { return 0 }
            defer { gst_iterator_free(sinks) }
            var count = 0
            // A concurrent change of the bin ends the iteration, and the count is too low.
            _ = gst_iterator_foreach(
                sinks, { _, count in count?.assumingMemoryBound(to: Int.self).pointee += 1 }, &count)
            return count
        } ?? 0
    }
}

extension Interface {
    /// The interface of elements with a volume that applications and `playbin` control.
    ///
    /// The class declares the properties `volume`, a `double` from 0 to 10 with the default 1, and `mute`, a `bool`.
    /// The corresponding C interface is `GstStreamVolume`.
    public static var streamVolume: Interface { .properties(type: gst_stream_volume_get_type) }
}
