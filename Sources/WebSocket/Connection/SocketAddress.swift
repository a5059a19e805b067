import CGIO

/// Numeric address and port.
///
/// The corresponding C type is `GInetSocketAddress`.
final class SocketAddress: @unchecked Sendable {  // The C object is immutable.
    let pointer: UnsafeMutablePointer<GSocketAddress>

    /// Takes ownership.
    init(_ pointer: UnsafeMutablePointer<GSocketAddress>) { self.pointer = pointer }

    /// Parses an IPv4 address, or an IPv6 address with or without a zone; nil for a host name.
    convenience init?(numeric host: String, port: UInt16) {
        guard !host.utf8.contains(0), let address = g_inet_socket_address_new_from_string(host, guint(port)) else {
            return nil
        }
        self.init(address)
    }

    deinit { g_object_unref(pointer) }

    var family: GSocketFamily { g_socket_address_get_family(pointer) }

    private var inet: UnsafeMutablePointer<GInetSocketAddress> {
        UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: GInetSocketAddress.self)
    }

    var port: UInt16 { g_inet_socket_address_get_port(inet) }

    var host: String {
        guard let text = g_inet_address_to_string(g_inet_socket_address_get_address(inet)) else { return "" }
        defer { g_free(text) }
        return String(cString: text)
    }

    var network: PeerNetwork {
        let address = g_inet_socket_address_get_address(inet)
        let bytes = UnsafeBufferPointer(
            start: g_inet_address_to_bytes(address), count: Int(g_inet_address_get_native_size(address)))
        return PeerNetwork(address: Array(bytes))
    }

    /// Address and port as in a URL.
    var text: String { WebSocketAddress(host: host, port: port).authority }
}
