import GStreamer
import WebSocket

/// Settings that all clients of a server share, and their properties.
protocol ClientSettings: ElementSettings {
    var clientName: String? { get set }
    var storageFolder: String? { get set }
    var unpairedAccess: UnpairedAccess { get set }
    var pairingCode: PairingCodeDisplay { get set }
    /// Kind of the client in the descriptions of properties.
    static var kind: String { get }
}

extension ClientSettings {
    /// Descriptions of properties that `sendspinsrc` and `sendspinsink` parse, and `sendspinplay` copies as strings.
    static var uriText: String {
        "Server, as sendspin://host[:port][/path] (NULL = the first server that is found in the local network)"
    }

    static var listenAddressText: String {
        "Address and port at which servers may connect to this \(kind), such as 0.0.0.0:8928 (NULL = this \(kind) connects to a server)"
    }

    static var clientNameProperty: Property<Self> {
        .string(
            "client-name", \.clientName, "Name of this \(kind) in the server's list (NULL = the name of the host)",
            flags: .beforeStart)
    }

    static var storageFolderProperty: Property<Self> {
        .string(
            "storage-folder", \.storageFolder,
            "Folder with the identity and the pairing records of this \(kind)\(kind == "player" ? "" : ", in its folder \(kind)") (NULL = \(ClientProfile.DataFolder.name(kind)) in the user's data folder)",
            flags: .beforeStart)
    }

    static var unpairedAccessProperty: Property<Self> {
        .choice(
            "unpaired-access", \.unpairedAccess, "When a server that is not paired with this \(kind) may use it",
            flags: .beforeStart)
    }

    static var pairingCodeProperty: Property<Self> {
        .choice(
            "pairing-code", \.pairingCode,
            "How the application shows the code of the message sendspin-pairing-code, with which a server may pair",
            flags: .beforeStart)
    }
}

/// Settings of an element that connects to a server by itself.
protocol LinkSettings: ClientSettings {
    var uri: String? { get set }
    /// The address of `uri`; nil to search.
    var server: WebSocketAddress? { get set }
    var listenText: String? { get set }
    var listenAddress: WebSocketAddress? { get set }
}

extension LinkSettings {
    private static var serverPort: UInt16 { 8927 }
    /// Default port of clients to which servers connect.
    private static var clientPort: UInt16 { 8928 }

    static var uriProperty: Property<Self> {
        .string("uri", uriText, flags: .beforeStart, get: { $0.uri }, parse: parseURI)
    }

    static var listenAddressProperty: Property<Self> {
        .string(
            "listen-address", listenAddressText, flags: .beforeStart, get: { $0.listenText },
            parse: parseListenAddress)
    }

    @Sendable private static func parseURI(_ text: String?) throws(ElementError) -> Property<Self>.Update {
        guard let text, !text.isEmpty else { return { ($0.uri, $0.server) = (nil, nil) } }
        let scheme = "sendspin://"
        guard text.hasPrefix(scheme),
            let address = AddressText.parse(text.dropFirst(scheme.count), port: serverPort)
        else {
            throw .settings("\"\(text)\" is not the address of a server, such as sendspin://192.168.1.5:8927.")
        }
        return { ($0.uri, $0.server) = (text, address) }
    }

    @Sendable private static func parseListenAddress(_ text: String?) throws(ElementError) -> Property<Self>.Update {
        guard let text, !text.isEmpty else { return { ($0.listenText, $0.listenAddress) = (nil, nil) } }
        guard let address = AddressText.parse(text[...], port: clientPort) else {
            throw .settings("\"\(text)\" is not an address at which servers can connect, such as 0.0.0.0:8928.")
        }
        return { ($0.listenText, $0.listenAddress) = (text, address) }
    }
}

/// Addresses of servers and clients in properties.
private enum AddressText {
    /// Parses `host[:port][/path]`; an IPv6 address requires brackets.
    static func parse(_ text: Substring, port: UInt16) -> WebSocketAddress? {
        let slash = text.firstIndex(of: "/") ?? text.endIndex
        let path = text[slash...]
        var host = text[..<slash]
        var port = port
        let bracket = host.lastIndex(of: "]")
        if let colon = host[(bracket ?? host.startIndex)...].lastIndex(of: ":") {
            guard let number = UInt16(host[host.index(after: colon)...]) else { return nil }
            port = number
            host = host[..<colon]
        }
        if bracket != nil {
            guard host.first == "[", host.last == "]" else { return nil }
            host = host.dropFirst().dropLast()
        }
        // Without brackets, the last group of an IPv6 address would be parsed as a port.
        guard !host.isEmpty, bracket != nil || !host.contains(where: { "[:]".contains($0) }) else { return nil }
        return WebSocketAddress(host: String(host), port: port, path: path.count > 1 ? String(path) : "/sendspin")
    }
}
