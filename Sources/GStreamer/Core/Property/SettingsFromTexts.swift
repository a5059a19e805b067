import CGStreamer

/// Error of a parameter text: an unknown name, or a value that is not valid.
public struct SettingFault: Error, Sendable, CustomStringConvertible {
    /// Name of the property.
    public let name: String
    /// A sentence for the user.
    public let description: String
}

extension ElementSettings {
    /// Sets the property `name` like `gst-launch-1.0`, for objects that have no GObject properties, such as a tracer.
    ///
    /// Throws if there is no writable property `name`, or if `text` cannot be its value. The corresponding C function
    /// is `gst_util_set_object_arg`.
    public mutating func set(_ name: String, from text: String) throws(SettingFault) {
        guard let row = Self.properties.first(where: { $0.name == name }) else {
            throw SettingFault(name: name, description: "There is no parameter \"\(name)\".")
        }
        guard row.flags.contains(.writable), let spec = row.makeSpec(self) else {
            throw SettingFault(name: name, description: "The parameter \"\(name)\" cannot be set.")
        }
        g_param_spec_ref_sink(spec)
        defer { g_param_spec_unref(spec) }
        var value = GValue()
        g_value_init(&value, spec.pointee.value_type)
        defer { g_value_unset(&value) }
        guard Self.read(text, into: &value, spec), g_param_value_validate(spec, &value) == 0 else {
            throw SettingFault(name: name, description: "\"\(text)\" cannot be the value of the parameter \"\(name)\".")
        }
        try apply(row, &value)
    }

    private static func read(
        _ text: String, into value: inout GValue, _ spec: UnsafeMutablePointer<GParamSpec>
    ) -> Bool {
        guard spec.pointee.value_type == cgst_type_string() else {
            return gst_value_deserialize_with_pspec(&value, text, spec) != 0
        }
        g_value_set_string(&value, text)
        return true
    }

    private mutating func apply(_ row: Property<Self>, _ value: inout GValue) throws(SettingFault) {
        switch row.write {
        case .never: break
        case .store(let store): _ = store(&self, &value)
        case .parse(let parse):
            do throws(ElementError) { try parse(&value).update(&self) } catch {
                throw SettingFault(name: row.name, description: error.text)
            }
        }
    }
}
