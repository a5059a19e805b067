import CGStreamer
import Foundation
import GStreamer
import Synchronization
import Testing

/// GStreamer, started once for all tests, with the test elements registered.
enum Setup {
    static let once: Void = {
        // Presets are saved to the user's folder, whose place GLib reads once.
        setenv("XDG_DATA_HOME", scratch.path, 1)
        gst_init(nil, nil)
        // A critical is a fault of ours: no test passes with one.
        g_log_set_always_fatal(
            GLogLevelFlags(rawValue: G_LOG_LEVEL_CRITICAL.rawValue | G_LOG_LEVEL_ERROR.rawValue))
        _ = register(EveryKindFilter.self, in: .none)
        _ = register(CountedFilter.self, in: .none)
    }()

    /// The folder that the tests write to; removed when they end.
    private static let scratch: URL = {
        atexit { try? FileManager.default.removeItem(at: Setup.scratch) }
        return FileManager.default.temporaryDirectory.appending(path: "gst-swift-tests-\(UUID())")
    }()
}

/// One element on its own, with a bus to hear what it posts.
final class Subject {
    let element: UnsafeMutablePointer<GstElement>
    private let bus: UnsafeMutablePointer<GstBus>

    var object: UnsafeMutablePointer<GObject> {
        UnsafeMutableRawPointer(element).assumingMemoryBound(to: GObject.self)
    }

    init(_ factory: String = EveryKindFilter.factoryName) {
        _ = Setup.once
        element = gst_element_factory_make(factory, nil)!
        gst_object_ref_sink(element)
        bus = gst_bus_new()!
        gst_element_set_bus(element, bus)
    }

    deinit {
        gst_element_set_state(element, GST_STATE_NULL)
        gst_element_set_bus(element, nil)
        gst_object_unref(bus)
        gst_object_unref(element)
    }

    var name: String {
        let name = gst_object_get_name(UnsafeMutableRawPointer(element).assumingMemoryBound(to: GstObject.self))!
        defer { g_free(name) }
        return String(cString: name)
    }

    // MARK: Properties

    /// Sets a property as `gst-launch-1.0` does.
    func set(_ name: String, _ text: String) { gst_util_set_object_arg(object, name, text) }

    func set(float name: String, _ number: Float) {
        withValue(of: name) {
            g_value_set_float($0, number)
            g_object_set_property(object, name, $0)
        }
    }

    func set(string name: String, _ text: String?) {
        withValue(of: name) {
            g_value_set_string($0, text)
            g_object_set_property(object, name, $0)
        }
    }

    /// A property as GStreamer writes it.
    func get(_ name: String) -> String? {
        withValue(of: name) {
            g_object_get_property(object, name, $0)
            guard let text = gst_value_serialize($0) else { return nil }
            defer { g_free(text) }
            return String(cString: text)
        }
    }

    /// A property that holds a GstStructure.
    func structure(_ name: String) -> String? {
        withValue(of: name) {
            g_object_get_property(object, name, $0)
            guard let boxed = g_value_get_boxed($0),
                let text = gst_structure_to_string(boxed.assumingMemoryBound(to: GstStructure.self))
            else { return nil }
            defer { g_free(text) }
            return String(cString: text)
        }
    }

    /// Calls the C method past GLib's checks, under another property number if told to.
    func setUnchecked(float name: String, _ number: Float, id: guint? = nil) throws {
        let spec = try #require(g_object_class_find_property(objectClass, name))
        let setProperty = try #require(objectClass.pointee.set_property)
        withValue(of: name) {
            g_value_set_float($0, number)
            setProperty(object, id ?? spec.pointee.param_id, $0, spec)
        }
    }

    var objectClass: UnsafeMutablePointer<GObjectClass> {
        UnsafeMutableRawPointer(element.pointee.object.object.g_type_instance.g_class)
            .assumingMemoryBound(to: GObjectClass.self)
    }

    private func withValue<R>(of name: String, _ body: (UnsafeMutablePointer<GValue>) -> R) -> R {
        var value = GValue()
        g_value_init(&value, g_object_class_find_property(objectClass, name)!.pointee.value_type)
        defer { g_value_unset(&value) }
        return body(&value)
    }

    // MARK: The bus

    struct Message: Equatable {
        var type: String
        var text: String
        var debug: String?
        var code: Int32 = 0
    }

    /// Errors, warnings and element messages since the last call.
    func messages() -> [Message] {
        var all: [Message] = []
        while let message = gst_bus_pop(bus) {
            defer { gst_message_unref(message) }
            var error: UnsafeMutablePointer<GError>?
            var debug: UnsafeMutablePointer<gchar>?
            let type = String(cString: gst_message_type_get_name(message.pointee.type))
            switch message.pointee.type {
            case GST_MESSAGE_ERROR: gst_message_parse_error(message, &error, &debug)
            case GST_MESSAGE_WARNING: gst_message_parse_warning(message, &error, &debug)
            case GST_MESSAGE_INFO: gst_message_parse_info(message, &error, &debug)
            case GST_MESSAGE_ELEMENT:
                let text = gst_structure_to_string(gst_message_get_structure(message))!
                all.append(Message(type: type, text: String(cString: text)))
                g_free(text)
                continue
            default: continue
            }
            // GStreamer puts file, line and element before the details.
            let details = debug.map { String(cString: $0) }?.split(separator: "\n").last.map(String.init)
            all.append(
                Message(
                    type: type, text: String(cString: error!.pointee.message), debug: details, code: error!.pointee.code
                ))
            g_error_free(error)
            g_free(debug)
        }
        return all
    }
}
