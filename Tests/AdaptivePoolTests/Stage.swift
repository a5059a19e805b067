import CGStreamer
import CGStreamerCheck

@testable import GStreamer

/// A pipeline written as for gst-launch-1.0, and what it says.
final class Stage {
    let pipeline: UnsafeMutablePointer<GstElement>
    private let bus: UnsafeMutablePointer<GstBus>

    init(_ text: String) {
        _ = Setup.once
        pipeline = gst_parse_launch(text, nil)!
        gst_object_ref_sink(pipeline)
        bus = gst_element_get_bus(pipeline)!
    }

    deinit {
        gst_element_set_state(pipeline, GST_STATE_NULL)
        gst_object_unref(bus)
        gst_object_unref(pipeline)
    }

    func go(_ state: GstState) {
        gst_element_set_state(pipeline, state)
        gst_element_get_state(pipeline, nil, nil, 5_000_000_000)
    }

    /// Plays to the end, or for so many seconds, and returns what was posted: "warning: text", "element: structure".
    func play(seconds: Double = 20) -> [String] {
        gst_element_set_state(pipeline, GST_STATE_PLAYING)
        return listen(seconds: seconds)
    }

    func listen(seconds: Double) -> [String] {
        var heard: [String] = []
        let end = gst_util_get_timestamp() + GstClockTime(seconds * 1e9)
        while gst_util_get_timestamp() < end {
            guard let message = gst_bus_timed_pop(bus, 20_000_000) else { continue }
            defer { gst_message_unref(message) }
            var error: UnsafeMutablePointer<GError>?
            switch message.pointee.type {
            case GST_MESSAGE_EOS: return heard + ["eos"]
            case GST_MESSAGE_ERROR: gst_message_parse_error(message, &error, nil)
            case GST_MESSAGE_WARNING: gst_message_parse_warning(message, &error, nil)
            case GST_MESSAGE_INFO: gst_message_parse_info(message, &error, nil)
            case GST_MESSAGE_ELEMENT:
                let text = gst_structure_to_string(gst_message_get_structure(message))!
                heard.append("element: " + String(cString: text))
                g_free(text)
            default: break
            }
            if let error {
                let kind = String(cString: gst_message_type_get_name(message.pointee.type))
                heard.append(kind + ": " + String(cString: error.pointee.message))
                g_error_free(error)
                if kind == "error" { return heard }
            }
        }
        return heard
    }

    /// A property of the element `name`, as GStreamer writes it.
    func get(_ property: String, of name: String = "p") -> String {
        let element = gst_bin_get_by_name(UnsafeMutableRawPointer(pipeline).assumingMemoryBound(to: GstBin.self), name)!
        defer { gst_object_unref(element) }
        let object = UnsafeMutableRawPointer(element).assumingMemoryBound(to: GObject.self)
        let objectClass = UnsafeMutableRawPointer(element.pointee.object.object.g_type_instance.g_class)
            .assumingMemoryBound(to: GObjectClass.self)
        var value = GValue()
        g_value_init(&value, g_object_class_find_property(objectClass, property)!.pointee.value_type)
        defer { g_value_unset(&value) }
        g_object_get_property(object, property, &value)
        let text: UnsafeMutablePointer<gchar>
        if let boxed = g_value_get_boxed_of(&value) {
            text = gst_structure_to_string(boxed.assumingMemoryBound(to: GstStructure.self))
        } else {
            text = gst_value_serialize(&value)
        }
        defer { g_free(text) }
        return String(cString: text)
    }

    /// A number out of `stats`.
    func statistic(_ field: String, of name: String = "p") -> Double {
        let stats = get("stats", of: name)
        guard let range = stats.range(of: " \(field)=(") else { return .nan }
        let value = stats[range.upperBound...].drop { $0 != ")" }.dropFirst()
        return Double(value.prefix { $0 != "," && $0 != ";" }) ?? .nan
    }

    private func g_value_get_boxed_of(_ value: UnsafePointer<GValue>) -> UnsafeMutableRawPointer? {
        value.pointee.g_type == gst_structure_get_type() ? g_value_get_boxed(value) : nil
    }
}

extension String {
    /// Where `text` begins and ends; Foundation is not linked.
    func range(of text: String) -> Range<String.Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
            start = index(after: start)
        }
        return nil
    }
}
