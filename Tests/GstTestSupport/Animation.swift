import CGStreamer

extension TestElement {
    /// Adds a controller that changes a property from `start` to `end` in a second; 0 and 1 are the property's limits.
    public func animate(_ name: String, from start: Double, to end: Double) {
        let source = gst_interpolation_control_source_new()!
        var mode = GValue()
        g_value_init(&mode, gst_interpolation_mode_get_type())
        g_value_set_enum(&mode, gint(GST_INTERPOLATION_MODE_LINEAR.rawValue))
        g_object_set_property(UnsafeMutableRawPointer(source).assumingMemoryBound(to: GObject.self), "mode", &mode)
        let values = UnsafeMutableRawPointer(source).assumingMemoryBound(to: GstTimedValueControlSource.self)
        gst_timed_value_control_source_set(values, 0, start)
        gst_timed_value_control_source_set(values, 1_000_000_000, end)
        gst_object_add_control_binding(
            gstObject,
            gst_direct_control_binding_new(
                gstObject, name, UnsafeMutableRawPointer(source).assumingMemoryBound(to: GstControlSource.self)))
        gst_object_unref(source)
    }
}
