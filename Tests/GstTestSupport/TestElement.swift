import CGStreamer

/// One element outside a pipeline, with a bus for its messages.
open class TestElement: @unchecked Sendable {  // GObject properties and the bus may be used from any thread.
    public let element: RawElement
    private let bus: UnsafeMutablePointer<GstBus>

    public init(_ factory: String, _ properties: [String: String] = [:]) {
        _ = Setup.once
        element = gst_element_factory_make(factory, nil)!
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

    public var object: UnsafeMutablePointer<GObject> { element.object }
    public var gstObject: UnsafeMutablePointer<GstObject> { element.gstObject }
    public var objectClass: UnsafeMutablePointer<GObjectClass> { element.objectClass }

    public var name: String {
        let name = gst_object_get_name(gstObject)!
        defer { g_free(name) }
        return String(cString: name)
    }

    /// Sets a property as `gst-launch-1.0` does.
    public func set(_ name: String, _ text: String) { element.set(name, to: text) }

    public func set(float name: String, _ number: Float) {
        element.withValue(of: name) {
            g_value_set_float($0, number)
            g_object_set_property(object, name, $0)
        }
    }

    public func set(string name: String, _ text: String?) { element.set(string: name, to: text) }

    /// The value of a property as GStreamer serializes it.
    public func get(_ name: String) -> String? { element.get(name) }

    /// The value of a property as GStreamer serializes it, or the unchanged text of a string property.
    public subscript(name: String) -> String? {
        get {
            guard isText(name) else { return element.get(name) }
            return element.withValue(of: name) {
                g_object_get_property(object, name, $0)
                return g_value_get_string($0).map { String(cString: $0) }
            }
        }
        set {
            if isText(name) { return element.set(string: name, to: newValue) }
            element.withValue(of: name) {
                gst_value_deserialize($0, newValue)
                g_object_set_property(object, name, $0)
            }
        }
    }

    public func number(_ name: String) -> Double { element.number(name) }
    public func spec(_ name: String) -> UnsafeMutablePointer<GParamSpec>? { element.spec(name) }

    /// Errors, warnings, infos and element messages since the last call.
    public func messages() -> [PostedMessage] { PostedMessage.all(on: bus) }

    private func isText(_ name: String) -> Bool { spec(name)?.pointee.value_type == cgst_type_string() }
}
