public import Sockets

/// Request for a WebSocket (RFC 6455, section 4).
public struct UpgradeRequest: Sendable, Equatable {
    /// Host and port.
    public let authority: String
    /// Path with its query.
    public let path: String
    /// Nonce of the request.
    public let key: WebSocketKey
    /// Web page that sent the request; nil if the request has no Origin header.
    public let origin: String?

    /// Creates a request; nil if the host or the path is empty, longer than 1024 bytes, or invalid in a request.
    public init?(authority: String, path: String, key: WebSocketKey) {
        guard !authority.isEmpty, authority.utf8.count <= 1024, authority.utf8.allSatisfy(Self.isVisible),
            !authority.utf8.contains(UInt8(ascii: "/")), Self.isValid(path: path)
        else { return nil }
        self.authority = authority
        self.path = path
        self.key = key
        origin = nil
    }

    /// Whether a request may have this path.
    public static func isValid(path: String) -> Bool {
        path.utf8.first == UInt8(ascii: "/") && path.utf8.count <= 1024
            && path.utf8.allSatisfy { isVisible($0) && $0 != UInt8(ascii: "#") }
    }

    private static func isVisible(_ byte: UInt8) -> Bool { (0x21...0x7E).contains(byte) }

    /// The request as the bytes that are sent.
    public var bytes: [UInt8] {
        Array(
            """
            GET \(path) HTTP/1.1\r
            Host: \(authority)\r
            Upgrade: websocket\r
            Connection: Upgrade\r
            Sec-WebSocket-Key: \(key.text)\r
            Sec-WebSocket-Version: 13\r
            \r\n
            """.utf8)
    }

    /// Parses a received request.
    public init(_ head: HTTPHead) throws(UpgradeFault) {
        guard let request = head.request else { throw .malformed("its first line is not a request") }
        guard request.version.elementsEqual("HTTP/1.1".utf8) else { throw .malformed("its version is not HTTP/1.1") }
        guard request.method.elementsEqual("GET".utf8) else { throw .methodNotAllowed }
        path = String(decoding: request.target, as: UTF8.self)
        guard Self.isValid(path: path) else { throw .malformed("its path is invalid") }
        guard let host = head.single("host") else { throw .malformed("it has not exactly one Host") }
        authority = String(decoding: host, as: UTF8.self)
        // The bytes after the head are frames, not a body.
        guard !head.has("content-length"), !head.has("transfer-encoding") else { throw .malformed("it has a body") }
        guard head.has("upgrade", token: "websocket"), head.has("connection", token: "upgrade") else {
            throw .noUpgrade
        }
        guard let version = head.single("sec-websocket-version"), version.elementsEqual("13".utf8) else {
            throw .versionNotSupported
        }
        guard let key = head.single("sec-websocket-key").flatMap(WebSocketKey.init) else {
            throw .malformed("it has not exactly one valid Sec-WebSocket-Key")
        }
        self.key = key
        origin = head.has("origin") ? String(decoding: head.single("origin") ?? [], as: UTF8.self) : nil
    }

    /// Checks that a listener at `path` accepts the request.
    ///
    /// Any web page that the user opens could send requests to this machine; browsers add an Origin header to them.
    public func check(path expected: String) throws(UpgradeFault) {
        if let origin { throw .fromWebPage(origin: origin) }
        guard path.utf8.prefix(while: { $0 != UInt8(ascii: "?") }).elementsEqual(expected.utf8) else {
            throw .notFound(path: path)
        }
    }
}
