import CGStreamer

/// Direction in which an element uses a URI.
///
/// The corresponding C type is `GstURIType`.
public enum URIDirection: Sendable {
    /// The element reads from the URI.
    case source
    /// The element writes to the URI.
    case sink
}

/// Implementation of `GstURIHandler` with a property that holds the URI.
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
        // Values of other properties do not concern the URI.
        guard let failure = ObjectType.instance(UnsafeMutableRawPointer(object))?.failure(of: property) else {
            return true
        }
        g_set_error_literal(error, gst_uri_error_quark(), gint(GST_URI_ERROR_BAD_URI.rawValue), failure.text)
        return false
    }
}
