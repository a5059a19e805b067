/// Host, port and path of a WebSocket server: `ws://host:port/path`.
public struct WebSocketAddress: Sendable, Hashable, CustomStringConvertible {
    /// Host name, IPv4 address, or IPv6 address without brackets, with or without a zone (`fe80::1%eth0`).
    public var host: String
    /// TCP port.
    public var port: UInt16
    /// Path with its leading slash.
    public var path: String

    /// Creates an address.
    public init(host: String, port: UInt16, path: String = "/") {
        self.host = host
        self.port = port
        self.path = path
    }

    /// The address as a URL.
    public var description: String { "ws://\(authority)\(path)" }

    /// Host and port as in a URL.
    public var authority: String { host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
