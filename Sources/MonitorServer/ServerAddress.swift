/// Address and port of a server: `127.0.0.1:9100`, `[::1]:9100`, `:9100`, `9100`, `0.0.0.0:0`.
public struct ServerAddress: Sendable, Equatable, CustomStringConvertible {
    /// Address without brackets; a server accepts only a numeric address.
    public var host: String
    /// Port; 0 means any free port.
    public var port: UInt16

    /// Creates an address from its parts.
    public init(host: String = "127.0.0.1", port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Parses a text; nil if it has no port from 0 to 65535, or an IPv6 address without brackets.
    ///
    /// Without an address, or with `localhost`, the address is 127.0.0.1.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        let colon = bytes.lastIndex(of: UInt8(ascii: ":"))
        let digits = bytes[(colon.map { $0 + 1 } ?? 0)...]
        guard (1...5).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        guard let port = UInt16(String(decoding: digits, as: UTF8.self)) else { return nil }
        var host = bytes[..<(colon ?? 0)]
        if host.first == UInt8(ascii: "["), host.last == UInt8(ascii: "]"), host.count > 2 {
            host = host.dropFirst().dropLast()
        } else if host.contains(UInt8(ascii: ":")) {
            // The last group of an IPv6 address without brackets may look like a port.
            return nil
        }
        // A host contains no brackets, and a zero byte would end the text in C.
        guard host.allSatisfy({ !"[]\0".utf8.contains($0) }) else { return nil }
        let name = String(decoding: host, as: UTF8.self)
        self.init(host: name.isEmpty || name == "localhost" ? "127.0.0.1" : name, port: port)
    }

    /// The address as `init(_:)` parses it.
    public var description: String {
        host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
