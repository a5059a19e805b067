import CSystem
import Glibc

/// A non-blocking TCP socket; the release of the last reference closes it.
///
/// No method raises SIGPIPE.
public final class StreamSocket: @unchecked Sendable {  // One thread at a time uses it.
    /// The descriptor for `Readiness`; -1 after `close`.
    public private(set) var descriptor: CInt
    /// Network of the peer; undefined for a listener.
    public let network: PeerNetwork

    private init(_ descriptor: CInt, _ network: UInt64 = 0) throws(SocketFailure) {
        guard descriptor >= 0 else { throw SocketFailure() }
        self.descriptor = descriptor
        self.network = PeerNetwork(network)
    }

    deinit { close() }

    /// Listens on a numeric address; if `port` is 0, the system selects a free port and `port` is set to its number.
    ///
    /// The number of the failure is EDESTADDRREQ if the address is not numeric.
    public convenience init(listeningAt host: String, port: inout UInt16) throws(SocketFailure) {
        try self.init(unsafe csockets_listen(host, &port))
    }

    /// Starts to connect to a numeric address; the socket becomes writable when `checkConnection` has the result.
    public convenience init(connectingTo host: String, port: UInt16) throws(SocketFailure) {
        var network: UInt64 = 0
        let descriptor = unsafe csockets_connect(host, port, &network)
        try self.init(descriptor, network)
    }

    /// Throws the reason why the connection could not be established.
    public func checkConnection() throws(SocketFailure) {
        let number = csockets_error(descriptor)
        guard number == 0 else { throw SocketFailure(number) }
    }

    /// Accepts a connection.
    public func accept() throws(SocketFailure) -> StreamSocket {
        var network: UInt64 = 0
        let client = unsafe csockets_accept(descriptor, &network)
        return try StreamSocket(client, network)
    }

    /// Name of this machine; empty if the machine has no name.
    public static var hostName: String {
        var bytes = [CChar](repeating: 0, count: 256)
        guard unsafe gethostname(&bytes, bytes.count - 1) == 0 else { return "" }
        return SocketFailure.text(bytes)
    }

    /// Numeric address and port of the peer; nil after the end of the connection.
    public var peer: (host: String, port: UInt16)? {
        var host = [CChar](repeating: 0, count: 128)
        var port: UInt16 = 0
        guard unsafe csockets_peer(descriptor, &host, host.count, &port) == 0 else { return nil }
        return (SocketFailure.text(host), port)
    }

    /// Reads the available bytes; returns 0 at the end of the stream.
    public func receive(into buffer: inout [UInt8]) throws(SocketFailure) -> Int {
        let count = unsafe buffer.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
        guard count >= 0 else { throw SocketFailure() }
        return count
    }

    /// Sends as many bytes as the socket accepts.
    public func send(_ bytes: ArraySlice<UInt8>) throws(SocketFailure) -> Int {
        let count = unsafe bytes.withUnsafeBytes { bytes in
            unsafe Glibc.send(descriptor, bytes.baseAddress, bytes.count, CInt(MSG_NOSIGNAL))
        }
        guard count >= 0 else { throw SocketFailure() }
        return count
    }

    /// Ends sending; the peer receives the end of the stream.
    public func endSending() { shutdown(descriptor, CInt(SHUT_WR)) }

    /// Closes the socket; later calls fail.
    public func close() {
        guard descriptor >= 0 else { return }
        _ = Glibc.close(descriptor)
        descriptor = -1
    }
}
