import GStreamer
import SendspinSession
import SendspinWire
import WebSocketConnection

/// The writable properties of `sendspinsrc`.
struct SendspinSourceSettings: ElementSettings {
    typealias Report = SendspinSourceReport

    var uri: String?
    var server: WebSocketAddress?
    var listenText: String?
    var listenAddress: WebSocketAddress?
    var clientName: String?
    var storageFolder: String?
    var bufferCapacity: UInt32 = 4 << 20
    var codecsText: String? = "flac,opus,pcm"
    var codecs: [AudioCodec] = [.flac, .opus, .pcm]
    var outputDelay = Duration.zero
    var allowsUnencrypted = false
    var flushes = true
    var endsWithStream = false

    static let properties: [Property<Self>] = [
        .string(
            "uri",
            "Server, as sendspin://host[:port][/path] (NULL = the first server that is found in the local network)",
            flags: .beforeStart, get: { $0.uri }, parse: parseURI),
        .string(
            "listen-address",
            "Address and port at which servers may connect to this player, such as 0.0.0.0:8928 (NULL = this player connects to a server)",
            flags: .beforeStart, get: { $0.listenText }, parse: parseListenAddress),
        .string(
            "client-name", \.clientName, "Name of this player in the server's list (NULL = the name of the host)",
            flags: .beforeStart),
        .string(
            "storage-folder", \.storageFolder,
            "Folder with the identity and the pairing records of this player (NULL = sendspin in the user's data folder)",
            flags: .beforeStart),
        .uint32(
            "buffer-capacity", \.bufferCapacity, in: 65_536...64 << 20,
            "Largest amount of encoded audio that the server may send ahead, in bytes", flags: .beforeStart),
        .string(
            "codecs", "Codecs in order of preference: flac, opus and pcm, separated by commas", flags: .beforeStart,
            get: { $0.codecsText }, parse: parseCodecs),
        .duration(
            "output-delay", \.outputDelay, in: .zero ... .seconds(5),
            "Delay of the equipment behind the audio output, such as an amplifier, in nanoseconds; the sound is played earlier by this time",
            flags: .anyTime),
        .bool(
            "allow-unencrypted", \.allowsUnencrypted,
            "Whether a server that does not encrypt is accepted (protocol of 2025)", flags: .beforeStart),
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
    /// Port of servers.
    private static let serverPort: UInt16 = 8927
    /// Port of players that wait for servers.
    private static let playerPort: UInt16 = 8928

    @Sendable fileprivate static func parseURI(_ text: String?) throws(ElementError) -> Property<Self>.Update {
        guard let text, !text.isEmpty else { return { ($0.uri, $0.server) = (nil, nil) } }
        guard let rest = text.removing(prefix: "sendspin://"), let address = address(rest, port: serverPort) else {
            throw .settings("\"\(text)\" is not the address of a server, such as sendspin://192.168.1.5:8927.")
        }
        return { ($0.uri, $0.server) = (text, address) }
    }

    @Sendable fileprivate static func parseListenAddress(
        _ text: String?
    ) throws(ElementError) -> Property<Self>.Update {
        guard let text, !text.isEmpty else { return { ($0.listenText, $0.listenAddress) = (nil, nil) } }
        guard let address = address(text, port: playerPort) else {
            throw .settings("\"\(text)\" is not an address at which servers can connect, such as 0.0.0.0:8928.")
        }
        return { ($0.listenText, $0.listenAddress) = (text, address) }
    }

    @Sendable fileprivate static func parseCodecs(_ text: String?) throws(ElementError) -> Property<Self>.Update {
        let names = (text ?? "flac,opus,pcm").split(separator: "," as Character)
        let codecs = names.compactMap { AudioCodec(rawValue: $0.filter { $0 != " " }) }
        guard codecs.count == names.count, codecs.contains(where: { $0 != .opus }) else {
            throw .settings(
                "\"\(text ?? "")\" must be a list of flac, opus and pcm with flac or pcm in it, which servers require.")
        }
        return { ($0.codecsText, $0.codecs) = (text, codecs) }
    }

    /// Parses `host[:port][/path]`; an IPv6 address is in brackets.
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
        // Without its brackets, the last group of an IPv6 address would be a port.
        guard !host.isEmpty, bracket != nil || !host.contains(where: { "[:]".contains($0) }) else { return nil }
        return WebSocketAddress(host: String(host), port: port, path: path.count > 1 ? String(path) : "/sendspin")
    }

    private static func address(_ text: String, port: UInt16) -> WebSocketAddress? { address(text[...], port: port) }
}

extension String {
    fileprivate func removing(prefix: String) -> Substring? { hasPrefix(prefix) ? dropFirst(prefix.count) : nil }
}
