import JSON
import SendspinSecurity

/// Payload of `stream/start`: starts streams or changes their format.
public struct StreamStart: Equatable, Sendable {
    /// Server time of the transmission; nil from legacy servers.
    public var serverTransmitted: Duration?
    /// Stream of the player; nil if the message does not affect it.
    public var player: PlayerStream?
    /// Channels of the artwork stream; nil if the message does not affect it.
    public var artwork: [ArtworkChannel]?
    /// Whether the message starts or changes the stream of the visualizer, which has at most what was requested.
    public var hasVisualizer = false
}

/// Format of the next audio chunks, to a player or from a source.
public struct PlayerStream: Equatable, Sendable {
    /// Format of the chunks.
    public var format: AudioFormat
    /// Codec header: `fLaC` and the STREAMINFO block; nil for PCM and Opus.
    public var codecHeader: [UInt8]?

    /// Maximum length of a codec header; the header of FLAC has 42 bytes.
    static let headerLimit = 16384

    /// Creates a format.
    public init(format: AudioFormat, codecHeader: [UInt8]? = nil) {
        self.format = format
        self.codecHeader = codecHeader
    }

    /// FLAC header up to STREAMINFO, without the blocks with text and images; nil if it is malformed.
    var streamInformation: [UInt8]? {
        guard var header = codecHeader?.prefix(42), header.count == 42, header.starts(with: "fLaC".utf8),
            header[4] & 0x7F == 0, header[5...7].elementsEqual([0, 0, 34])
        else { return nil }
        // The flag marks STREAMINFO as the last metadata block.
        header[4] = 0x80
        return Array(header)
    }
}

extension StreamStart {
    init(_ reader: FieldReader) throws(WireFault) {
        serverTransmitted = try reader.optionalInteger("server_transmitted", in: .min ... .max).map {
            Duration(wireMicroseconds: $0)
        }
        if let object = try reader.optionalObject("player") {
            player = PlayerStream(format: try AudioFormat(object), codecHeader: try Self.codecHeader(object))
        }
        hasVisualizer = try reader.optionalObject("visualizer") != nil
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
