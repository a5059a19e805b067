import JSON

/// Payload of `stream/start`: starts streams of roles, or changes their format.
public struct StreamStart: Equatable, Sendable {
    /// Time of the server at which it transmitted the message; nil from legacy servers.
    public var serverTransmitted: Duration?
    /// Stream of the player; nil if the message does not concern it.
    public var player: PlayerStream?
    /// Channels of the artwork stream; nil if the message does not concern it.
    public var artwork: [ArtworkChannel]?

    /// A message of its parts.
    public init(serverTransmitted: Duration? = nil, player: PlayerStream? = nil, artwork: [ArtworkChannel]? = nil) {
        self.serverTransmitted = serverTransmitted
        self.player = player
        self.artwork = artwork
    }
}

/// Format of the audio chunks that follow.
public struct PlayerStream: Equatable, Sendable {
    /// Format of the chunks.
    public var format: AudioFormat
    /// Header of the codec: `fLaC` and the STREAMINFO block; nil for PCM and Opus.
    public var codecHeader: [UInt8]?

    /// A stream of its parts.
    public init(format: AudioFormat, codecHeader: [UInt8]? = nil) {
        self.format = format
        self.codecHeader = codecHeader
    }

    /// Maximum length of a codec header.
    ///
    /// The header of FLAC has 42 bytes.
    public static let headerLimit = 16384

    /// The header of FLAC without the blocks behind STREAMINFO, which contain text and images; nil if it is malformed.
    public var streamInformation: [UInt8]? {
        guard var header = codecHeader?.prefix(42), header.count == 42, header.starts(with: "fLaC".utf8),
            header[4] & 0x7F == 0, header[5...7].elementsEqual([0, 0, 34])
        else { return nil }
        // The last block.
        header[4] = 0x80
        return Array(header)
    }
}

extension StreamStart {
    var json: JSONObject {
        var payload = JSONObject()
        payload.add("server_transmitted", microseconds: serverTransmitted)
        if let player {
            var object = player.format.json
            object.add("codec_header", player.codecHeader.map { StandardBase64.encode($0) })
            payload.add("player", object)
        }
        if let artwork {
            payload.append("artwork", .object(["channels": .array(artwork.map { .object($0.json(.encrypted)) })]))
        }
        return payload
    }

    init(_ reader: FieldReader) throws(WireFault) {
        serverTransmitted = try reader.optionalInteger("server_transmitted", in: .min ... .max).map {
            Duration(wireMicroseconds: $0)
        }
        if let object = try reader.optionalObject("player") {
            player = PlayerStream(format: try AudioFormat(object), codecHeader: try Self.codecHeader(object))
        }
        guard let channels = try reader.optionalObject("artwork")?.optionalObjects("channels", limit: 4) else { return }
        var artwork: [ArtworkChannel] = []
        for channel in channels { artwork.append(try ArtworkChannel(channel)) }
        self.artwork = artwork
    }

    private static func codecHeader(_ reader: FieldReader) throws(WireFault) -> [UInt8]? {
        guard let text = try reader.optionalString("codec_header"), !text.isEmpty else { return nil }
        guard text.utf8.count <= PlayerStream.headerLimit * 4 / 3 + 3 else {
            throw .outOfRange(field: "player.codec_header", value: "\(text.utf8.count) characters")
        }
        guard let header = StandardBase64.decode(text) else {
            throw .wrongType(field: "player.codec_header", expected: "base64")
        }
        return header
    }
}
