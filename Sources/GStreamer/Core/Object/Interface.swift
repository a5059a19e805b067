import CGStreamer

/// A GObject interface that a class implements.
///
/// The corresponding C type is `GInterfaceInfo`.
public enum Interface: Sendable {
    /// Property values that can be saved and loaded by name; see `Property.storedInPresets`.
    ///
    /// The corresponding C interface is `GstPreset`.
    case preset

    /// A source or sink that `gst_element_make_from_uri` finds by the URI protocol.
    ///
    /// `property` names the string property that stores the URI and rejects an invalid URI. The corresponding C
    /// interface is `GstURIHandler`.
    case uriHandler(URIDirection, protocols: [String], property: String)

    /// An interface whose properties the class declares; `type` is the type function of the interface.
    ///
    /// The bridge does not link the library of the interface, so the caller passes a function such as
    /// `gst_stream_volume_get_type`. The corresponding C function is `g_object_interface_install_property`.
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

/// Direction in which an element uses a URI.
///
/// The corresponding C type is `GstURIType`.
public enum URIDirection: Sendable {
    /// The element reads from the URI.
    case source
    /// The element writes to the URI.
    case sink
}

/// Implementation of `GstURIHandler`; a property stores the URI.
struct URIHandler {
    private let direction: URIDirection
    private let protocols: [String]
    private let property: String

    init(_ direction: URIDirection, _ protocols: [String], _ property: String) {
        (self.direction, self.protocols, self.property) = (direction, protocols, property)
    }

    func add(to type: GType) {
        var info = GInterfaceInfo()
        info.interface_init = { interface, _ in
            guard let methods = interface?.assumingMemoryBound(to: GstURIHandlerInterface.self) else { return }
            methods.pointee.get_type = { URIHandler.of($0)?.direction == .sink ? GST_URI_SINK : GST_URI_SRC }
            methods.pointee.get_protocols = { type in
                URIHandler.of(type).map { UnsafePointer(StringList.interned($0.protocols).raw) }
            }
            methods.pointee.get_uri = { object in object.flatMap { URIHandler.of($0)?.uri(of: $0) } }
            methods.pointee.set_uri = { object, uri, error in
                guard let object, let uri, let handler = URIHandler.of(object) else { return 0 }
                return handler.set(uri, on: object, error) ? 1 : 0
            }
        }
        g_type_add_interface_static(type, gst_uri_handler_get_type(), &info)
    }

    private static func of(_ object: OpaquePointer) -> Self? { of(cgst_type_of_instance(UnsafeRawPointer(object))) }

    private static func of(_ type: GType) -> Self? {
        for case .uriHandler(let direction, let protocols, let property) in ObjectType.of(type)?.interfaces ?? [] {
            return Self(direction, protocols, property)
        }
        return nil
    }

    private func uri(of object: OpaquePointer) -> UnsafeMutablePointer<gchar>? {
        var value = GValue()
        g_value_init(&value, cgst_type_string())
        defer { g_value_unset(&value) }
        g_object_get_property(UnsafeMutablePointer<GObject>(object), property, &value)
        return g_value_dup_string(&value)
    }

    private func set(
        _ uri: UnsafePointer<gchar>, on object: OpaquePointer,
        _ error: UnsafeMutablePointer<UnsafeMutablePointer<GError>?>?
    ) -> Bool {
        var value = GValue()
        g_value_init(&value, cgst_type_string())
        defer { g_value_unset(&value) }
        g_value_set_string(&value, uri)
        g_object_set_property(UnsafeMutablePointer<GObject>(object), property, &value)
        // Errors of other properties are not errors of the URI.
        guard let failure = ObjectType.instance(UnsafeMutableRawPointer(object))?.failure(of: property) else {
            return true
        }
        g_set_error_literal(error, gst_uri_error_quark(), gint(GST_URI_ERROR_BAD_URI.rawValue), failure.text)
        return false
    }
}
