import GStreamer
import SendspinProtocol
import WebSocket

struct SendspinSourceSettings: PlayerSettings {
    typealias Report = SendspinSourceReport

    var uri: String?
    var server: WebSocketAddress?
    var listenText: String?
    var listenAddress: WebSocketAddress?
    var clientName: String?
    var storageFolder: String?
    var bufferCapacity = defaultBufferCapacity
    var codecsText: String? = PlayerTexts.allCodecs
    var codecs: [AudioCodec] = [.flac, .opus, .pcm]
    var outputDelay = Duration.zero
    var allowsUnencrypted = false
    var unpairedAccess = UnpairedAccess.untilPaired
    var flushes = true
    var endsWithStream = false

    static let properties: [Property<Self>] = [
        .string("uri", PlayerTexts.uri, flags: .beforeStart, get: { $0.uri }, parse: parseURI),
        .string(
            "listen-address", PlayerTexts.listenAddress, flags: .beforeStart, get: { $0.listenText },
            parse: parseListenAddress),
        clientNameProperty, storageFolderProperty, bufferCapacityProperty,
        .string("codecs", PlayerTexts.codecs, flags: .beforeStart, get: { $0.codecsText }, parse: parseCodecs),
        outputDelayProperty, allowUnencryptedProperty, unpairedAccessProperty,
        .bool(
            "flush", \.flushes,
            "Whether audio that has been pushed is discarded when the server pauses, seeks or ends the stream; false for recordings, because filesink empties its file at a flush",
            flags: .beforeStart),
        .bool(
            "eos-on-stream-end", \.endsWithStream,
            "Whether the end of the server's stream is the end of this stream; false waits for the next one",
            flags: .anyTime),
        .bool("connected", "Whether a server is connected", reported: { $0.isConnected }),
        .string("server-name", "Name of the connected server; NULL without one", reported: { $0.serverName }),
        .uint32("volume", "Volume that the server has set, in percent", reported: { $0.volume }),
        .bool("mute", "Whether the server has muted this player", reported: { $0.isMuted }),
        .structure("stats", "Clock, buffer, and counts of chunks and events", reported: { $0.stats }),
    ]
}

extension SendspinSourceSettings {
    private static let serverPort: UInt16 = 8927
    /// Default port of players to which servers connect.
    private static let playerPort: UInt16 = 8928

    @Sendable fileprivate static func parseURI(_ text: String?) throws(ElementError) -> Property<Self>.Update {
        guard let text, !text.isEmpty else { return { ($0.uri, $0.server) = (nil, nil) } }
        let scheme = "sendspin://"
        guard text.hasPrefix(scheme), let address = address(text.dropFirst(scheme.count), port: serverPort) else {
            throw .settings("\"\(text)\" is not the address of a server, such as sendspin://192.168.1.5:8927.")
        }
        return { ($0.uri, $0.server) = (text, address) }
    }

    @Sendable fileprivate static func parseListenAddress(
        _ text: String?
    ) throws(ElementError) -> Property<Self>.Update {
        guard let text, !text.isEmpty else { return { ($0.listenText, $0.listenAddress) = (nil, nil) } }
        guard let address = address(text[...], port: playerPort) else {
            throw .settings("\"\(text)\" is not an address at which servers can connect, such as 0.0.0.0:8928.")
        }
        return { ($0.listenText, $0.listenAddress) = (text, address) }
    }

    @Sendable fileprivate static func parseCodecs(_ text: String?) throws(ElementError) -> Property<Self>.Update {
        let names = (text ?? PlayerTexts.allCodecs).split(separator: "," as Character)
        let codecs = names.compactMap { AudioCodec(rawValue: $0.filter { $0 != " " }) }
        guard codecs.count == names.count, codecs.contains(where: { $0 != .opus }) else {
            throw .settings(
                "\"\(text ?? "")\" must be a list of flac, opus and pcm with flac or pcm in it, which servers require.")
        }
        return { ($0.codecsText, $0.codecs) = (text, codecs) }
    }

    /// Parses `host[:port][/path]`; an IPv6 address requires brackets.
    private static func address(_ text: Substring, port: UInt16) -> WebSocketAddress? {
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
