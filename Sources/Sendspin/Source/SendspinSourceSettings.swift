import GStreamer
import SendspinProtocol
import WebSocket

struct SendspinSourceSettings: PlayerSettings, LinkSettings {
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
    var pairingCode = PairingCodeDisplay.none
    var receivesColours = false
    var visualizerText: String?
    var visualizer: [VisualizerKind] = []
    var visualizerRate: UInt32 = 30
    var visualizerBands: UInt32 = 16
    var flushes = true
    var endsWithStream = false

    static let properties: [Property<Self>] = [
        uriProperty, listenAddressProperty,
        clientNameProperty, storageFolderProperty, bufferCapacityProperty,
        .string("codecs", PlayerTexts.codecs, flags: .beforeStart, get: { $0.codecsText }, parse: parseCodecs),
        outputDelayProperty, allowUnencryptedProperty, unpairedAccessProperty, pairingCodeProperty,
        colorProperty,
        .string(
            "visualizer", PlayerTexts.visualizer, flags: .beforeStart, get: { $0.visualizerText },
            parse: parseVisualizer),
        visualizerRateProperty, visualizerBandsProperty,
        .bool(
            "flush", \.flushes,
            "Whether audio that has been pushed is discarded when the server pauses, seeks or ends the stream; false for recordings, because filesink empties its file at a flush",
            flags: .beforeStart),
        .bool(
            "eos-on-stream-end", \.endsWithStream,
            "Whether the end of the server's stream is the end of this stream; false waits for the next one",
            flags: .anyTime),
        .bool("connected", "Whether a server is connected", reported: { $0.link.isConnected }),
        .string("server-name", "Name of the connected server; NULL without one", reported: { $0.link.serverName }),
        .uint32("volume", "Volume that the server has set, in percent", reported: { $0.volume }),
        .bool("mute", "Whether the server has muted this player", reported: { $0.isMuted }),
        .structure("stats", "Clock, buffer, and counts of chunks and events", reported: { $0.stats }),
    ]
}

extension SendspinSourceSettings {
    @Sendable fileprivate static func parseCodecs(_ text: String?) throws(ElementError) -> Property<Self>.Update {
        let names = (text ?? PlayerTexts.allCodecs).split(separator: "," as Character)
        let codecs = names.compactMap { AudioCodec(rawValue: $0.filter { $0 != " " }) }
        guard codecs.count == names.count, codecs.contains(where: { $0 != .opus }) else {
            throw .settings(
                "\"\(text ?? "")\" must be a list of flac, opus and pcm with flac or pcm in it, which servers require.")
        }
        return { ($0.codecsText, $0.codecs) = (text, codecs) }
    }

    @Sendable fileprivate static func parseVisualizer(_ text: String?) throws(ElementError) -> Property<Self>.Update {
        let names = (text ?? "").split(separator: "," as Character)
        let kinds = names.compactMap { VisualizerKind(rawValue: $0.filter { $0 != " " }) }
        guard kinds.count == names.count, Set(kinds).count == kinds.count else {
            throw .settings(
                "\"\(text ?? "")\" must be a list of loudness, beat, f_peak, spectrum and peak, each at most once.")
        }
        return { ($0.visualizerText, $0.visualizer) = (text, kinds) }
    }
}
