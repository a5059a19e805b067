import CGStreamer
import GStreamer
import Testing

@testable import NTSCFilter

/// An `ntscfilter` on its own, with a bus to hear what it posts.
final class Filter: @unchecked Sendable {  // GObject properties and the bus may be used from any thread.
    let element: UnsafeMutablePointer<GstElement>
    private let bus: UnsafeMutablePointer<GstBus>

    init(_ properties: [String: String] = [:]) {
        _ = Setup.once
        element = gst_element_factory_make(NTSCFilter.factoryName, nil)!
        gst_object_ref_sink(element)
        bus = gst_bus_new()!
        gst_element_set_bus(element, bus)
        for (name, text) in properties { self[name] = text }
    }

    deinit {
        gst_element_set_state(element, GST_STATE_NULL)
        gst_element_set_bus(element, nil)
        gst_object_unref(bus)
        gst_object_unref(element)
    }

    var object: UnsafeMutablePointer<GObject> {
        UnsafeMutableRawPointer(element).assumingMemoryBound(to: GObject.self)
    }
    var gstObject: UnsafeMutablePointer<GstObject> {
        UnsafeMutableRawPointer(element).assumingMemoryBound(to: GstObject.self)
    }
    var objectClass: UnsafeMutablePointer<GObjectClass> {
        UnsafeMutableRawPointer(element.pointee.object.object.g_type_instance.g_class)
            .assumingMemoryBound(to: GObjectClass.self)
    }

    // MARK: Properties

    /// A property as `gst-launch-1.0` writes it; a text as it is.
    subscript(name: String) -> String? {
        get {
            withValue(of: name) {
                g_object_get_property(object, name, $0)
                if isText($0) { return g_value_get_string($0).map { String(cString: $0) } }
                guard let text = gst_value_serialize($0) else { return nil }
                defer { g_free(text) }
                return String(cString: text)
            }
        }
        set {
            withValue(of: name) {
                if isText($0) { g_value_set_string($0, newValue) } else { gst_value_deserialize($0, newValue) }
                g_object_set_property(object, name, $0)
            }
        }
    }

    /// A property as a number: 0 or 1 for a boolean, its value for a choice.
    func number(_ name: String) -> Double {
        withValue(of: name) {
            g_object_get_property(object, name, $0)
            var number = GValue()
            g_value_init(&number, cgst_type_double())
            if g_value_transform($0, &number) != 0 { return g_value_get_double(&number) }
            g_value_unset(&number)
            g_value_init(&number, cgst_type_int())
            g_value_transform($0, &number)
            return Double(g_value_get_int(&number))
        }
    }

    /// The specification of a property.
    func spec(_ name: String) -> UnsafeMutablePointer<GParamSpec>? { g_object_class_find_property(objectClass, name) }

    private func isText(_ value: UnsafePointer<GValue>) -> Bool { value.pointee.g_type == cgst_type_string() }

    private func withValue<R>(of name: String, _ body: (UnsafeMutablePointer<GValue>) -> R) -> R {
        var value = GValue()
        g_value_init(&value, spec(name)!.pointee.value_type)
        defer { g_value_unset(&value) }
        return body(&value)
    }

    // MARK: The bus

    struct Message: Equatable {
        let type: String
        let text: String
    }

    /// Errors and warnings since the last call.
    func messages() -> [Message] {
        var all: [Message] = []
        while let message = gst_bus_pop(bus) {
            defer { gst_message_unref(message) }
            var error: UnsafeMutablePointer<GError>?
            switch message.pointee.type {
            case GST_MESSAGE_ERROR: gst_message_parse_error(message, &error, nil)
            case GST_MESSAGE_WARNING: gst_message_parse_warning(message, &error, nil)
            default: continue
            }
            guard let error else { continue }
            let type = String(cString: gst_message_type_get_name(message.pointee.type))
            all.append(Message(type: type, text: String(cString: error.pointee.message)))
            g_error_free(error)
        }
        return all
    }
}
