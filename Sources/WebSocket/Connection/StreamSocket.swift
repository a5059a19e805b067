import CGIO
import Glibc

/// A non-blocking TCP socket.
///
/// GSocket sets MSG_NOSIGNAL, so sends never raise SIGPIPE. The corresponding C type is `GSocket`.
final class StreamSocket: @unchecked Sendable {  // One thread at a time uses it.
    private let socket: UnsafeMutablePointer<GSocket>

    /// Takes ownership of a socket.
    private init(_ socket: UnsafeMutablePointer<GSocket>) {
        self.socket = socket
        g_socket_set_blocking(socket, 0)
    }

    convenience init(_ family: GSocketFamily) throws(SocketFailure) {
        var error: UnsafeMutablePointer<GError>?
        guard let socket = g_socket_new(family, G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_TCP, &error) else {
            throw SocketFailure(error)
        }
        self.init(socket)
    }

    deinit {
        g_socket_close(socket, nil)
        g_object_unref(socket)
    }

    var descriptor: CInt { g_socket_get_fd(socket) }

    /// Address of the peer; nil after the end of the connection.
    var peer: SocketAddress? { g_socket_get_remote_address(socket, nil).map(SocketAddress.init) }

    /// Network of the peer; empty after the end of the connection.
    var network: PeerNetwork { peer?.network ?? PeerNetwork(address: []) }

    var local: SocketAddress? { g_socket_get_local_address(socket, nil).map(SocketAddress.init) }

    /// Starts to connect; false if the connection completes when the socket becomes writable.
    func connect(to address: SocketAddress) throws(SocketFailure) -> Bool {
        var error: UnsafeMutablePointer<GError>?
        guard g_socket_connect(socket, address.pointer, nil, &error) == 0 else { return true }
        let failure = SocketFailure(error)
        guard failure.isPending else { throw failure }
        return false
    }

    /// Checks the connection when the socket has become writable.
    func checkConnection() throws(SocketFailure) {
        var error: UnsafeMutablePointer<GError>?
        guard g_socket_check_connect_result(socket, &error) != 0 else { throw SocketFailure(error) }
    }

    /// Disables Nagle's algorithm, which would delay messages.
    func setNoDelay() { g_socket_set_option(socket, CInt(IPPROTO_TCP), TCP_NODELAY, 1, nil) }

    func listen(at address: SocketAddress) throws(SocketFailure) {
        var error: UnsafeMutablePointer<GError>?
        // With GLib's default of 10, a client that connects while 10 others wait is delayed by 1 s.
        g_socket_set_listen_backlog(socket, 128)
        // The address is reused, so that a restart does not wait for TIME_WAIT of old connections.
        guard g_socket_bind(socket, address.pointer, 1, &error) != 0, g_socket_listen(socket, &error) != 0 else {
            throw SocketFailure(error)
        }
    }

    func accept() throws(SocketFailure) -> StreamSocket {
        var error: UnsafeMutablePointer<GError>?
        guard let client = g_socket_accept(socket, nil, &error) else { throw SocketFailure(error) }
        let accepted = StreamSocket(client)
        accepted.setNoDelay()
        return accepted
    }

    /// Reads the available bytes; 0 at the end.
    func receive(into buffer: inout [UInt8]) throws(SocketFailure) -> Int {
        var error: UnsafeMutablePointer<GError>?
        let count = buffer.withUnsafeMutableBytes {
            g_socket_receive(socket, $0.baseAddress, gsize($0.count), nil, &error)
        }
        guard count >= 0 else { throw SocketFailure(error) }
        return Int(count)
    }

    /// Sends as many bytes as the socket accepts.
    func send(_ bytes: ArraySlice<UInt8>) throws(SocketFailure) -> Int {
        var error: UnsafeMutablePointer<GError>?
        let count = bytes.withUnsafeBytes { g_socket_send(socket, $0.baseAddress, gsize($0.count), nil, &error) }
        guard count >= 0 else { throw SocketFailure(error) }
        return Int(count)
    }

    func endSending() { g_socket_shutdown(socket, 0, 1, nil) }

    func close() { g_socket_close(socket, nil) }
}
