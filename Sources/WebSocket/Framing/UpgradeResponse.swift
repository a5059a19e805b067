public import Sockets

/// Response to an upgrade request (RFC 6455, section 4.2.2).
public enum UpgradeResponse {
    /// Response that accepts a request; `accept` is the hash of its key.
    public static func acceptance(_ accept: String) -> [UInt8] {
        Array(
            """
            HTTP/1.1 101 Switching Protocols\r
            Upgrade: websocket\r
            Connection: Upgrade\r
            Sec-WebSocket-Accept: \(accept)\r
            \r\n
            """.utf8)
    }

    /// Response that refuses a request.
    public static func refusal(_ fault: UpgradeFault) -> [UInt8] {
        let body = fault.reason + "\n"
        return Array(
            """
            HTTP/1.1 \(status(fault))\r
            Content-Type: text/plain; charset=utf-8\r
            Content-Length: \(body.utf8.count)\r
            Connection: close\r
            \(headers(fault))\r
            \(body)
            """.utf8)
    }

    private static func status(_ fault: UpgradeFault) -> String {
        switch fault {
        case .tooLarge: "431 Request Header Fields Too Large"
        case .methodNotAllowed: "405 Method Not Allowed"
        case .noUpgrade, .versionNotSupported: "426 Upgrade Required"
        case .notFound: "404 Not Found"
        case .fromWebPage: "403 Forbidden"
        case .malformed, .status, .notAccepted: "400 Bad Request"
        }
    }

    private static func headers(_ fault: UpgradeFault) -> String {
        switch fault {
        case .methodNotAllowed: "Allow: GET\r\n"
        case .noUpgrade, .versionNotSupported: "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        default: ""
        }
    }

    /// Checks a received response; `accept` is the hash of the request's key.
    public static func check(_ head: HTTPHead, accept: String) throws(UpgradeFault) {
        let line = head.startLine
        guard line.starts(with: "HTTP/1.1 ".utf8), line.count >= 12 else {
            throw .malformed("its first line is \"\(PrintableText.make(line))\"")
        }
        let digits = line.dropFirst(9).prefix(3)
        guard digits.allSatisfy({ (0x30...0x39).contains($0) }),
            let code = Int(String(decoding: digits, as: UTF8.self)),
            line.count == 12 || line[line.startIndex + 12] == 0x20
        else { throw .malformed("its first line is \"\(PrintableText.make(line))\"") }
        guard code == 101 else { throw .status(code, reason: PrintableText.make(line.dropFirst(13))) }
        guard head.has("upgrade", token: "websocket"), head.has("connection", token: "upgrade") else {
            throw .notAccepted("it did not name the protocol")
        }
        guard let received = head.single("sec-websocket-accept"), received.elementsEqual(accept.utf8) else {
            throw .notAccepted("Sec-WebSocket-Accept does not belong to the request")
        }
        guard !head.has("sec-websocket-extensions"), !head.has("sec-websocket-protocol") else {
            throw .notAccepted("it chose an extension or a subprotocol that was not offered")
        }
    }
}
