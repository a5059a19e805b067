import Glibc

@testable import MonitorServer

/// A client that sends what it is told and reads until the server closes.
final class RawClient {
    private let socket: CInt
    private var isOpen = true

    init(port: UInt16, receiveBuffer: CInt = 0) {
        socket = Glibc.socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        if receiveBuffer > 0 {
            var size = receiveBuffer
            setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<CInt>.size))
        }
        // A server that does not answer fails the test instead of blocking it.
        var patience = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    deinit { end() }

    func end() {
        if isOpen { close(socket) }
        isOpen = false
    }

    /// Closes the sending side.
    func finish() { shutdown(socket, CInt(SHUT_WR)) }

    /// Sends bytes; false once the server has closed.
    @discardableResult
    func send(_ bytes: some Collection<UInt8>) -> Bool {
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

    @discardableResult
    func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// Reads until `isEnough` holds or the server closes; nil if neither happens in ten seconds.
    func read(until isEnough: (String) -> Bool = { _ in false }) -> String? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        let end = ContinuousClock.now + .seconds(10)
        while !isEnough(String(decoding: bytes, as: UTF8.self)) {
            let count = recv(socket, &buffer, buffer.count, 0)
            if (count < 0 && errno == EAGAIN) || ContinuousClock.now > end { return nil }
            if count <= 0 { break }
            bytes.append(contentsOf: buffer[..<count])
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Reads exactly `count` bytes; false if the server closes or nothing arrives in ten seconds.
    func skip(_ count: Int) -> Bool {
        var (rest, buffer) = (count, [UInt8](repeating: 0, count: 65536))
        while rest > 0 {
            let received = recv(socket, &buffer, min(rest, buffer.count), 0)
            guard received > 0 else { return false }
            rest -= received
        }
        return true
    }

    /// Number of bytes that are read until the server closes, and whether it did.
    func countBytes() -> (Int, isClosed: Bool) {
        var (total, buffer) = (0, [UInt8](repeating: 0, count: 65536))
        while true {
            let count = recv(socket, &buffer, buffer.count, 0)
            guard count > 0 else { return (total, count == 0 || errno == ECONNRESET) }
            total += count
        }
    }
}

/// A running server and what it was given.
struct Rig {
    let server: MonitorServer
    let port: UInt16

    init(page: String = "<p>page", _ change: (inout ServerLimits) -> Void = { _ in }) throws {
        var limits = ServerLimits()
        change(&limits)
        server = MonitorServer(page: Array(page.utf8), limits: limits)
        port = try server.start(ServerAddress(port: 0)).port
    }

    func client() -> RawClient { RawClient(port: port) }

    /// The whole answer to a request of HTTP/1.1 with the right host.
    func answer(_ line: String, host: String = "localhost") -> String? {
        let client = client()
        client.send("\(line) HTTP/1.1\r\nHost: \(host)\r\n\r\n")
        return client.read()
    }

    /// A client that follows the events, whose stream has begun.
    func follower() -> RawClient {
        let client = client()
        client.send("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        _ = client.read { $0.contains("retry: 1000\n\n") }
        return client
    }
}

/// The kind of generator that repeats itself in every run.
struct Drawn: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ (state >> 29)
    }
}

/// Resident memory of the process in bytes.
var residentMemory: Int {
    let file = fopen("/proc/self/statm", "r")
    defer { if let file { fclose(file) } }
    var bytes = [CChar](repeating: 0, count: 128)
    guard let file, fgets(&bytes, 128, file) != nil else { return 0 }
    let text = String(decoding: bytes.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4096
}

/// Number of open descriptors of the process.
var openDescriptors: Int {
    guard let folder = opendir("/proc/self/fd") else { return -1 }
    defer { closedir(folder) }
    var count = 0
    while readdir(folder) != nil { count += 1 }
    return count
}
