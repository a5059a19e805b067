import Glibc

/// A TCP client that sends any bytes and reads until the server closes the connection.
public final class RawClient {
    private let socket: CInt
    private var isOpen = true
    /// Whether the server has accepted the connection.
    public let isConnected: Bool

    /// Connects to a port of `host`, from the local address `source` if `source` is not nil.
    public init(port: UInt16, host: String = "127.0.0.1", from source: String? = nil, receiveBuffer: CInt = 0) {
        socket = Glibc.socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        if receiveBuffer > 0 {
            var size = receiveBuffer
            setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<CInt>.size))
        }
        // Because of this limit, a server that does not answer fails the test and does not block it.
        var patience = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        if let source { _ = Self.with(source, port: 0) { [socket] in bind(socket, $0, $1) } }
        isConnected = Self.with(host, port: port) { [socket] in connect(socket, $0, $1) } == 0
    }

    private static func with(
        _ host: String, port: UInt16, _ call: (UnsafePointer<sockaddr>, socklen_t) -> CInt
    ) -> CInt {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr(host)
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                call($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    deinit { end() }

    /// Closes the connection.
    public func end() {
        if isOpen { close(socket) }
        isOpen = false
    }

    /// Closes the sending side.
    public func finish() { shutdown(socket, CInt(SHUT_WR)) }

    /// Sends bytes; false if the server has closed the connection.
    @discardableResult
    public func send(_ bytes: some Collection<UInt8>) -> Bool {
        let bytes = Array(bytes)
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// Sends a text; false if the server has closed the connection.
    @discardableResult
    public func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// Reads until `isEnough` is true or the server closes the connection; nil if the limit of time passes before.
    public func read(until isEnough: (String) -> Bool = { _ in false }) -> String? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        let end = ContinuousClock.now + patience
        while !isEnough(String(decoding: bytes, as: UTF8.self)) {
            let count = recv(socket, &buffer, buffer.count, 0)
            if (count < 0 && errno == EAGAIN) || ContinuousClock.now > end { return nil }
            if count <= 0 { break }
            bytes.append(contentsOf: buffer[..<count])
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Reads exactly `count` bytes; false if the server closes the connection, or if no bytes arrive in time.
    public func skip(_ count: Int) -> Bool {
        var (rest, buffer) = (count, [UInt8](repeating: 0, count: 65536))
        while rest > 0 {
            let received = recv(socket, &buffer, min(rest, buffer.count), 0)
            guard received > 0 else { return false }
            rest -= received
        }
        return true
    }

    /// Number of bytes that arrive before the end, and whether the server closed the connection.
    public func countBytes() -> (Int, isClosed: Bool) {
        var (total, buffer) = (0, [UInt8](repeating: 0, count: 65536))
        while true {
            let count = recv(socket, &buffer, buffer.count, 0)
            guard count > 0 else { return (total, count == 0 || errno == ECONNRESET) }
            total += count
        }
    }
}

extension RawClient {
    /// The whole answer to a GET; empty if the server does not accept connections.
    public static func get(
        _ path: String, port: UInt16, host: String = "127.0.0.1", from source: String? = nil,
        name: String = "localhost"
    ) -> String {
        let client = RawClient(port: port, host: host, from: source)
        guard client.isConnected, client.send("GET \(path) HTTP/1.1\r\nHost: \(name)\r\n\r\n") else { return "" }
        return client.read() ?? ""
    }

    /// A client of `/events` that has received the beginning of the stream.
    public static func follower(port: UInt16, from source: String? = nil) -> RawClient {
        let client = RawClient(port: port, from: source)
        client.send("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        _ = client.read { $0.contains("retry: 1000\n\n") }
        return client
    }

    /// A port of 127.0.0.1 at which no server listens at present; nil if there is no such port.
    public static var freePort: UInt16? {
        let socket = Glibc.socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, size) | getsockname(socket, $0, &size)
            }
        }
        return result == 0 ? UInt16(bigEndian: address.sin_port) : nil
    }
}
