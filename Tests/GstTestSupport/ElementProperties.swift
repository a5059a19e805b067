import CGStreamer

public typealias RawElement = UnsafeMutablePointer<GstElement>

extension RawElement {
    public var object: UnsafeMutablePointer<GObject> {
        UnsafeMutableRawPointer(self).assumingMemoryBound(to: GObject.self)
    }

    public var gstObject: UnsafeMutablePointer<GstObject> {
        UnsafeMutableRawPointer(self).assumingMemoryBound(to: GstObject.self)
    }

    public var objectClass: UnsafeMutablePointer<GObjectClass> {
        UnsafeMutableRawPointer(pointee.object.object.g_type_instance.g_class)
            .assumingMemoryBound(to: GObjectClass.self)
    }

    /// Sets a property as `gst-launch-1.0` does.
    public func set(_ property: String, to text: String) { gst_util_set_object_arg(object, property, text) }

    /// Sets a string property to `text` without parsing, which `gst-launch-1.0` would do.
    public func set(string property: String, to text: String?) {
        withValue(of: property) {
            g_value_set_string($0, text)
            g_object_set_property(object, property, $0)
        }
    }

    /// The value of a property as GStreamer serializes it.
    public func get(_ property: String) -> String? {
        withValue(of: property) {
            g_object_get_property(object, property, $0)
            guard let text = Self.text(of: $0) else { return nil }
            defer { g_free(text) }
            return String(cString: text)
        }
    }

    /// The value of a numeric property, 0 or 1 for a boolean, or the number of an enum value.
    public func number(_ property: String) -> Double {
        withValue(of: property) {
            g_object_get_property(object, property, $0)
            var number = GValue()
            g_value_init(&number, cgst_type_double())
            if g_value_transform($0, &number) != 0 { return g_value_get_double(&number) }
            g_value_unset(&number)
            g_value_init(&number, cgst_type_int())
            g_value_transform($0, &number)
            return Double(g_value_get_int(&number))
        }
    }

    /// The GParamSpec of a property.
    public func spec(_ property: String) -> UnsafeMutablePointer<GParamSpec>? {
        g_object_class_find_property(objectClass, property)
    }

    /// Calls `body` with an empty GValue of the type of a property.
    public func withValue<R>(of property: String, _ body: (UnsafeMutablePointer<GValue>) -> R) -> R {
        var value = GValue()
        g_value_init(&value, spec(property)!.pointee.value_type)
        defer { g_value_unset(&value) }
        return body(&value)
    }

    private static func text(of value: UnsafePointer<GValue>) -> UnsafeMutablePointer<gchar>? {
        guard value.pointee.g_type == gst_structure_get_type() else { return gst_value_serialize(value) }
        return g_value_get_boxed(value).flatMap {
            gst_structure_to_string($0.assumingMemoryBound(to: GstStructure.self))
        }
    }
}
