import CGStreamer
import CPluginEntry
import SwiftVideoPlugin

/// GStreamer, started once for all tests of a process, with this plugin's elements registered.
public enum Stages {
    public static let ready: Void = {
        gst_init(nil, nil)
        // A critical is a fault of ours: no test passes with one.
        g_log_set_always_fatal(GLogLevelFlags(rawValue: G_LOG_LEVEL_CRITICAL.rawValue | G_LOG_LEVEL_ERROR.rawValue))
        // Without a plugin the elements belong to the process itself.
        _ = swiftvideo_plugin_init(nil)
    }()

    /// Whether an element is installed.
    public static func has(_ factory: String) -> Bool {
        ready
        guard let found = gst_element_factory_find(factory) else { return false }
        gst_object_unref(UnsafeMutableRawPointer(found))
        return true
    }
}

/// A pipeline written as for gst-launch-1.0, and what it says.
public final class Stage: @unchecked Sendable {  // Pipelines and buses guard themselves.
    public let pipeline: UnsafeMutablePointer<GstElement>
    private let bus: UnsafeMutablePointer<GstBus>

    public init(_ text: String) {
        Stages.ready
        pipeline = gst_parse_launch(text, nil)!
        gst_object_ref_sink(pipeline)
        bus = gst_element_get_bus(pipeline)!
    }

    deinit {
        gst_element_set_state(pipeline, GST_STATE_NULL)
        gst_object_unref(bus)
        gst_object_unref(pipeline)
    }

    public func go(_ state: GstState) {
        gst_element_set_state(pipeline, state)
        gst_element_get_state(pipeline, nil, nil, 5_000_000_000)
    }

    /// Plays to the end, or for so many seconds, and returns what was posted: "warning: text", "element: structure".
    public func play(seconds: Double = 20) -> [String] {
        gst_element_set_state(pipeline, GST_STATE_PLAYING)
        return listen(seconds: seconds)
    }

    /// With `details`, the second text of a message follows the first.
    public func listen(seconds: Double, details: Bool = false) -> [String] {
        var heard: [String] = []
        let end = gst_util_get_timestamp() + GstClockTime(seconds * 1e9)
        while gst_util_get_timestamp() < end {
            guard let message = gst_bus_timed_pop(bus, 20_000_000) else { continue }
            defer { gst_message_unref(message) }
            var error: UnsafeMutablePointer<GError>?
            var debug: UnsafeMutablePointer<gchar>?
            defer { g_free(debug) }
            switch message.pointee.type {
            case GST_MESSAGE_EOS: return heard + ["eos"]
            case GST_MESSAGE_ERROR: gst_message_parse_error(message, &error, &debug)
            case GST_MESSAGE_WARNING: gst_message_parse_warning(message, &error, &debug)
            case GST_MESSAGE_INFO: gst_message_parse_info(message, &error, &debug)
            case GST_MESSAGE_ELEMENT:
                let text = gst_structure_to_string(gst_message_get_structure(message))!
                heard.append("element: " + String(cString: text))
                g_free(text)
            default: break
            }
            if let error {
                let kind = String(cString: gst_message_type_get_name(message.pointee.type))
                let more = debug.map { " " + String(cString: $0) } ?? ""
                heard.append(kind + ": " + String(cString: error.pointee.message) + (details ? more : ""))
                g_error_free(error)
                if kind == "error" { return heard }
            }
        }
        return heard
    }

    /// The element `name`, which the pipeline keeps alive.
    public func element(_ name: String = "p") -> UnsafeMutablePointer<GstElement> {
        let element = gst_bin_get_by_name(UnsafeMutableRawPointer(pipeline).assumingMemoryBound(to: GstBin.self), name)!
        gst_object_unref(element)
        return element
    }

    /// Sets a property of the element `name`, as gst-launch-1.0 does.
    public func set(_ property: String, to value: String, of name: String = "p") {
        gst_util_set_object_arg(
            UnsafeMutableRawPointer(element(name)).assumingMemoryBound(to: GObject.self), property, value)
    }

    /// A property of the element `name`, as GStreamer writes it.
    public func get(_ property: String, of name: String = "p") -> String {
        let element = element(name)
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
    public func statistic(_ field: String, of name: String = "p") -> Double {
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
