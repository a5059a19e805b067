import CGStreamer

// Structure properties of encoders, such as `extra-controls`, and controls of V4L2 drivers.

extension ElementReference {
    /// Whether the property `name` allows changes only in NULL and READY; false if there is no such property.
    public func isFixed(_ name: String) -> Bool { cgst_is_fixed_property(object, name) != 0 }

    /// The field `field` of the structure property `name`; nil if it is missing or not a positive integer.
    public func control(_ field: String, in name: String) -> Double? {
        guard cgst_property_type(object, name) == gst_structure_get_type() else { return nil }
        return withStructure(name) { structure in
            var number: gint = 0
            guard let structure, gst_structure_get_int(structure, field, &number) != 0, number > 0 else { return nil }
            return Double(number)
        }
    }

    /// Sets the field `field` of the structure property `name`; nil removes the field.
    ///
    /// The structure may become empty but never NULL, because a V4L2 element with an open device reads its fields.
    public func set(_ field: String, in name: String, to number: Double?) {
        guard cgst_property_type(object, name) == gst_structure_get_type() else { return }
        let changed: UnsafeMutablePointer<GstStructure>? = withStructure(name) { structure in
            structure.map { gst_structure_copy($0) } ?? gst_structure_new_empty("controls")
        }
        guard let changed else { return }
        defer { gst_structure_free(changed) }
        if let number {
            var value = GValue()
            g_value_init(&value, cgst_type_int())
            g_value_set_int(&value, gint(max(0, min(number, Double(gint.max)))))
            gst_structure_take_value(changed, field, &value)
        } else {
            gst_structure_remove_field(changed, field)
        }
        withValue(gst_structure_get_type()) { value in
            g_value_set_boxed(&value, changed)
            g_object_set_property(object, name, &value)
        }
    }

    /// The value of the V4L2 control `id` of the element's device; nil if it is not positive or cannot be read.
    public func driverControl(_ id: UInt32) -> Double? {
        guard cgst_readable_property_type(object, "device-fd") == cgst_type_int() else { return nil }
        let device: gint = withValue(cgst_type_int()) { value in
            g_object_get_property(object, "device-fd", &value)
            return g_value_get_int(&value)
        }
        var number: gint32 = 0
        guard device >= 0, cgst_driver_control(device, id, &number) != 0, number > 0 else { return nil }
        return Double(number)
    }

    private func withStructure<Result>(
        _ name: String, _ body: (UnsafeMutablePointer<GstStructure>?) -> Result
    ) -> Result {
        withValue(gst_structure_get_type()) { value in
            g_object_get_property(object, name, &value)
            return body(g_value_get_boxed(&value)?.assumingMemoryBound(to: GstStructure.self))
        }
    }
}
