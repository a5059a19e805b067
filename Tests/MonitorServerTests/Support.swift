import Glibc
import TestSupport

@testable import MonitorServer

/// A running server and its port.
struct Rig {
    let server: MonitorServer
    let port: UInt16

    init(
        page: String = "<p>page", host: String = "127.0.0.1", _ change: (inout ServerLimits) -> Void = { _ in }
    ) throws {
        var limits = ServerLimits()
        change(&limits)
        server = MonitorServer(page: Array(page.utf8), limits: limits)
        port = try server.start(ServerAddress(host: host, port: 0)).port
    }

    func client() -> RawClient { RawClient(port: port) }

    /// The whole response to an HTTP/1.1 request.
    func answer(_ line: String, host: String = "localhost") -> String? {
        let client = client()
        client.send("\(line) HTTP/1.1\r\nHost: \(host)\r\n\r\n")
        return client.read()
    }

    /// A client of `/events` whose stream has begun.
    func follower() -> RawClient {
        RawClient.follower(port: port)
    }
}

/// Number of open descriptors of the process.
var openDescriptors: Int {
    guard let folder = opendir("/proc/self/fd") else { return -1 }
    defer { closedir(folder) }
    var count = 0
    while readdir(folder) != nil { count += 1 }
    return count
}
