import CGStreamer

/// A pipeline from a launch line.
final class Pipeline {
    let raw: UnsafeMutablePointer<GstElement>
    private var found: [UnsafeMutablePointer<GstElement>] = []

    var bin: UnsafeMutablePointer<GstBin> { UnsafeMutableRawPointer(raw).assumingMemoryBound(to: GstBin.self) }

    init(_ line: String) {
        _ = Setup.once
        raw = gst_parse_launch(line, nil)!
        gst_object_ref_sink(raw)
    }

    deinit {
        gst_element_set_state(raw, GST_STATE_NULL)
        for element in found { gst_object_unref(element) }
        gst_object_unref(raw)
    }

    /// Plays to the end or an error, and returns which of them came.
    func playToTheEnd() -> GstMessageType {
        gst_element_set_state(raw, GST_STATE_PLAYING)
        let bus = gst_element_get_bus(raw)
        defer { gst_object_unref(bus) }
        let ends = GstMessageType(rawValue: GST_MESSAGE_EOS.rawValue | GST_MESSAGE_ERROR.rawValue)
        guard let message = gst_bus_timed_pop_filtered(bus, 10_000_000_000, ends) else { return GST_MESSAGE_UNKNOWN }
        defer { gst_message_unref(message) }
        return message.pointee.type
    }

    /// The element `name`, which lives as long as this.
    func element(_ name: String) -> UnsafeMutablePointer<GstElement> {
        let element = gst_bin_get_by_name(bin, name)!
        found.append(element)
        return element
    }

    /// A property as GStreamer writes it.
    func get(_ element: String, _ property: String) -> String? {
        let object = UnsafeMutableRawPointer(self.element(element)).assumingMemoryBound(to: GObject.self)
        var value = GValue()
        g_object_get_property(object, property, &value)
        defer { g_value_unset(&value) }
        guard let text = gst_value_serialize(&value) else { return nil }
        defer { g_free(text) }
        return String(cString: text)
    }

    /// The names of the element messages that have come.
    func elementMessages() -> [String] {
        let bus = gst_element_get_bus(raw)
        defer { gst_object_unref(bus) }
        var names: [String] = []
        while let message = gst_bus_pop_filtered(bus, GST_MESSAGE_ELEMENT) {
            names.append(String(cString: gst_structure_get_name(gst_message_get_structure(message))))
            gst_message_unref(message)
        }
        return names
    }
}
