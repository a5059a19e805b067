import Foundation
import GstTestSupport

/// A client of a dashboard that sends what it is told.
final class WebClient {
    private let socket: CInt
    /// Whether the server accepts connections at the address.
    let isConnected: Bool

    /// Connects to a port of an address of this machine, such as `127.0.0.1`.
    init(port: UInt16, host: String = "127.0.0.1") {
        socket = Glibc.socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        // A server that does not answer fails the test instead of blocking it.
        var patience = timeval(tv_sec: 20, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(socket, SOL_SOCKET, option, &patience, socklen_t(MemoryLayout<timeval>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr(host)
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let socket = socket
        isConnected =
            withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(socket, $0, size) }
            } == 0
    }

    deinit { close(socket) }

    /// Sends bytes; false if the server has closed.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
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

    @discardableResult
    func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// Reads until `isEnough` or the end of the connection; nil if neither comes within 20 s.
    func read(until isEnough: (String) -> Bool = { _ in false }) -> String? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        let end = ContinuousClock.now + .seconds(20)
        while !isEnough(String(decoding: bytes, as: UTF8.self)) {
            let count = recv(socket, &buffer, buffer.count, 0)
            if (count < 0 && errno == EAGAIN) || ContinuousClock.now > end { return nil }
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The whole answer to a GET; empty if the server does not accept connections.
    static func get(_ path: String, port: UInt16, host: String = "127.0.0.1", name: String = "localhost") -> String {
        let client = WebClient(port: port, host: host)
        guard client.isConnected, client.send("GET \(path) HTTP/1.1\r\nHost: \(name)\r\n\r\n") else { return "" }
        return client.read() ?? ""
    }

    /// A client that has received the beginning of `/events`.
    static func follower(port: UInt16) -> WebClient {
        let client = WebClient(port: port)
        client.send("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        _ = client.read { $0.contains("retry: ") }
        return client
    }
}

extension Pipeline {
    /// Port of the dashboard of the monitor `m`; nil without one.
    var dashboardPort: UInt16? {
        let url = get("dashboard-url", of: "m")
        return url.firstMatch(of: /:([0-9]+)\//).flatMap { UInt16($0.1) }
    }
}

/// Resident memory of the process in bytes.
var residentMemory: Int {
    let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
    return (text?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4096
}
