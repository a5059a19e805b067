import CGStreamer

/// A GObject interface that an element offers beside its own methods.
public enum ElementInterface: Sendable {
    /// Settings that can be saved and loaded by name; see `Property.storedInPresets`.
    ///
    /// The corresponding C interface is `GstPreset`.
    case preset

    func add(to type: GType) {
        switch self {
        case .preset:
            var info = GInterfaceInfo()
            info.interface_init = { interface, _ in
                interface?.assumingMemoryBound(to: GstPresetInterface.self).pointee.get_property_names = {
                    presetPropertyNames($0)
                }
            }
            g_type_add_interface_static(type, gst_preset_get_type(), &info)
        }
    }
}

/// A new list for `g_strfreev`, or nil when nothing is stored.
private func presetPropertyNames(_ preset: OpaquePointer?) -> UnsafeMutablePointer<UnsafeMutablePointer<gchar>?>? {
    guard let preset, let blueprint = ElementBlueprint.of(cgst_type_of_instance(UnsafeRawPointer(preset))) else {
        return nil
    }
    let names = blueprint.presetPropertyNames
    guard !names.isEmpty,
        let memory = g_malloc0_n(gsize(names.count + 1), gsize(MemoryLayout<UnsafeMutablePointer<gchar>?>.stride))
    else { return nil }
    let list = memory.assumingMemoryBound(to: UnsafeMutablePointer<gchar>?.self)
    for (index, name) in names.enumerated() { list[index] = g_strdup(name) }
    return list
}
