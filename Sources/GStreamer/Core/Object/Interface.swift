import CGStreamer

/// A GObject interface that a class implements.
///
/// The corresponding C type is `GInterfaceInfo`.
public enum Interface: Sendable {
    /// Property values that can be saved and loaded by name; see `Property.storedInPresets`.
    ///
    /// The corresponding C interface is `GstPreset`.
    case preset

    /// A source or sink that `gst_element_make_from_uri` finds by the protocols of its URIs.
    ///
    /// `property` is the property of type string that holds the URI; a URI that it cannot parse is refused. The
    /// corresponding C interface is `GstURIHandler`.
    case uriHandler(URIDirection, protocols: [String], property: String)

    /// An interface that consists of properties, which the class declares; `type` is its type function.
    ///
    /// The bridge links no library for it, so the user passes a function such as `gst_stream_volume_get_type`. The
    /// corresponding C function is `g_object_interface_install_property`.
    case properties(type: @convention(c) () -> UInt)

    func add(to type: GType) {
        switch self {
        case .properties(let interface):
            var info = GInterfaceInfo()
            g_type_add_interface_static(type, GType(interface()), &info)
        case .uriHandler(let direction, let protocols, let property):
            URIHandler(direction, protocols, property).add(to: type)
        case .preset:
            var info = GInterfaceInfo()
            info.interface_init = { interface, _ in
                guard let methods = interface?.assumingMemoryBound(to: GstPresetInterface.self) else { return }
                methods.pointee.get_property_names = { presetPropertyNames($0) }
                methods.pointee.load_preset = { preset, name in
                    callDefault(preset, name) { inherited, name in inherited.load_preset?(preset, name) ?? 0 }
                }
                methods.pointee.get_meta = { preset, name, tag, value in
                    callDefault(preset, name) { inherited, name in
                        // For an unknown preset GStreamer sets no value and returns TRUE.
                        let isFound = inherited.get_meta?(preset, name, tag, value) ?? 0
                        return isFound != 0 && value?.pointee != nil ? isFound : 0
                    }
                }
            }
            g_type_add_interface_static(type, gst_preset_get_type(), &info)
        }
    }
}

/// Calls the default method with `name`, and if it fails, with the current name of the preset.
///
/// `name` comes first, because a user may have saved a preset under the old name.
private func callDefault(
    _ preset: OpaquePointer?, _ name: UnsafePointer<gchar>?,
    _ body: (GstPresetInterface, UnsafePointer<gchar>?) -> gboolean
) -> gboolean {
    guard
        let inherited = g_type_default_interface_peek(gst_preset_get_type())?
            .assumingMemoryBound(to: GstPresetInterface.self).pointee
    else { return 0 }
    if body(inherited, name) != 0 { return 1 }
    guard let preset, let name, let objectType = ObjectType.of(cgst_type_of_instance(UnsafeRawPointer(preset))),
        let present = objectType.currentPresetName(String(cString: name))
    else { return 0 }
    return body(inherited, present)
}

/// A new list of names (transfer full); nil if no property is stored in presets.
private func presetPropertyNames(_ preset: OpaquePointer?) -> UnsafeMutablePointer<UnsafeMutablePointer<gchar>?>? {
    guard let preset, let objectType = ObjectType.of(cgst_type_of_instance(UnsafeRawPointer(preset))) else {
        return nil
    }
    let names = objectType.presetPropertyNames
    guard !names.isEmpty,
        let memory = g_malloc0_n(gsize(names.count + 1), gsize(MemoryLayout<UnsafeMutablePointer<gchar>?>.stride))
    else { return nil }
    let list = memory.assumingMemoryBound(to: UnsafeMutablePointer<gchar>?.self)
    for (index, name) in names.enumerated() { list[index] = g_strdup(name) }
    return list
}
