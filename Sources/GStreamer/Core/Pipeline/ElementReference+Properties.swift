import CGStreamer

extension ElementReference {
    /// The value of the property `name`; nil if there is no such readable property.
    ///
    /// The corresponding C function is `g_object_get_property`.
    public func value(_ name: String) -> Structure.Value? {
        let gClass = cgst_class_of(raw)?.assumingMemoryBound(to: GObjectClass.self)
        guard let spec = g_object_class_find_property(gClass, name),
            spec.pointee.flags.rawValue & cgst_param_readable().rawValue != 0
        else { return nil }
        return withValue(spec.pointee.value_type) { value in
            g_object_get_property(object, name, &value)
            return Structure.Value(&value)
        }
    }

    // MARK: Numbers

    /// The value of the numeric property `name`; nil if it is negative, not finite, or not both readable and writable.
    ///
    /// The corresponding C function is `g_object_get_property`.
    public func number(_ name: String) -> Double? {
        let type = cgst_property_type(object, name)
        guard type != cgst_type_invalid(), g_value_type_transformable(type, cgst_type_double()) != 0 else { return nil }
        return withValue(type) { value in
            g_object_get_property(object, name, &value)
            return withValue(cgst_type_double()) { number in
                guard g_value_transform(&value, &number) != 0 else { return nil }
                let number = g_value_get_double(&number)
                return number >= 0 && number.isFinite ? number : nil
            }
        }
    }

    /// Sets the numeric property `name`; an integer is truncated and clamped to 0 and the maximum of the property.
    ///
    /// A number that is not finite, and a name that is not that of a readable and writable property, are ignored.
    /// The corresponding C function is `g_object_set_property`.
    public func set(_ name: String, to number: Double) {
        let type = cgst_property_type(object, name)
        guard type != cgst_type_invalid(), number.isFinite else { return }
        let isWhole = type != cgst_type_double() && type != cgst_type_float()
        // The conversion from gint64 to gint or guint drops the high bits of larger values.
        let most =
            type == cgst_type_int() ? Double(Int32.max) : type == cgst_type_uint() ? Double(UInt32.max) : 9e15
        withValue(isWhole ? cgst_type_int64() : cgst_type_double()) { value in
            if isWhole {
                g_value_set_int64(&value, gint64(max(0, min(number, most))))
            } else {
                g_value_set_double(&value, number)
            }
            g_object_set_property(object, name, &value)
        }
    }

    /// The value of the property `name` in the syntax of `gst-launch-1.0`; nil if it is not readable and writable.
    ///
    /// The corresponding C function is `gst_value_serialize`.
    public func text(_ name: String) -> String? {
        let type = cgst_property_type(object, name)
        guard type != cgst_type_invalid() else { return nil }
        return withValue(type) { value in
            g_object_get_property(object, name, &value)
            return serialized(&value)
        }
    }

    // MARK: Any value

    /// Sets the property `name`; returns false if it cannot be written or `value` cannot be converted to its type.
    ///
    /// The corresponding C function is `g_object_set_property`.
    @discardableResult
    public func set(_ name: String, to value: Structure.Value) -> Bool {
        guard let spec = writableProperty(name), var value = value.makeValue() else { return false }
        defer { g_value_unset(&value) }
        guard g_value_type_transformable(value.g_type, spec.pointee.value_type) != 0 else { return false }
        g_object_set_property(object, name, &value)
        return true
    }

    /// Sets the string property `name` to `text` or NULL; returns false if there is no such writable property.
    ///
    /// The corresponding C functions are `g_value_set_string` and `g_object_set_property`.
    @discardableResult
    public func set(_ name: String, toString text: String?) -> Bool {
        guard let spec = writableProperty(name), spec.pointee.value_type == cgst_type_string() else { return false }
        return withValue(spec.pointee.value_type) { value in
            g_value_set_string(&value, text)
            g_object_set_property(object, name, &value)
            return true
        }
    }

    /// Sets the property `name` to a value in the syntax of `gst-launch-1.0`, such as the nick of an enumeration.
    ///
    /// Returns false if the property cannot be written or `text` is not a value of its type. The corresponding C
    /// function is `gst_value_deserialize_with_pspec`.
    @discardableResult
    public func set(_ name: String, toText text: String) -> Bool {
        guard let spec = writableProperty(name) else { return false }
        return withValue(spec.pointee.value_type) { value in
            guard gst_value_deserialize_with_pspec(&value, text, spec) != 0 else { return false }
            g_object_set_property(object, name, &value)
            return true
        }
    }

    private func writableProperty(_ name: String) -> UnsafeMutablePointer<GParamSpec>? {
        let gClass = cgst_class_of(raw)?.assumingMemoryBound(to: GObjectClass.self)
        guard let spec = g_object_class_find_property(gClass, name) else { return nil }
        let flags = spec.pointee.flags.rawValue
        let isWritable = flags & cgst_param_writable().rawValue != 0
        return isWritable && flags & cgst_param_construct_only().rawValue == 0 ? spec : nil
    }

    // MARK: Values

    func withValue<Result>(_ type: GType, _ body: (inout GValue) -> Result) -> Result {
        var value = GValue()
        g_value_init(&value, type)
        defer { g_value_unset(&value) }
        return body(&value)
    }
}
