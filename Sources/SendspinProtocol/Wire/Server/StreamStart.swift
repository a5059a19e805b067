import JSON

/// Payload of `stream/start`: starts streams or changes their format.
public struct StreamStart: Equatable, Sendable {
    /// Server time of the transmission; nil from legacy servers.
    public var serverTransmitted: Duration?
    /// Stream of the player; nil if not affected.
    public var player: PlayerStream?
    /// Channels of the artwork stream; nil if not affected.
    public var artwork: [ArtworkChannel]?
}

/// Format of the next audio chunks.
public struct PlayerStream: Equatable, Sendable {
    /// Format of the chunks.
    public var format: AudioFormat
    /// Codec header: `fLaC` and the STREAMINFO block; nil for PCM and Opus.
    public var codecHeader: [UInt8]?

    /// Maximum length of a codec header; that of FLAC has 42 bytes.
    static let headerLimit = 16384

    /// FLAC header up to STREAMINFO, without the blocks with text and images; nil if it is malformed.
    var streamInformation: [UInt8]? {
        guard var header = codecHeader?.prefix(42), header.count == 42, header.starts(with: "fLaC".utf8),
            header[4] & 0x7F == 0, header[5...7].elementsEqual([0, 0, 34])
        else { return nil }
        // Flag of the last block.
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

/// Base64 with the standard alphabet and padding, for `codec_header`.
public enum StandardBase64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// Encodes `bytes` with padding.
    public static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let group = rest.prefix(3)
            rest = rest.dropFirst(3)
            var bits: UInt32 = 0
            for byte in group { bits = (bits << 8) | UInt32(byte) }
            bits <<= UInt32(8 * (3 - group.count))
            for index in 0..<4 {
                let sextet = Int((bits >> UInt32(18 - 6 * index)) & 0x3F)
                text.append(index <= group.count ? alphabet[sextet] : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Decodes `text`; nil if it is not base64 with padding.
    public static func decode(_ text: String) -> [UInt8]? {
        let characters = Array(text.utf8)
        guard characters.count.isMultiple(of: 4) else { return nil }
        let padding = characters.suffix(2).reversed().prefix { $0 == UInt8(ascii: "=") }.count
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        for (index, character) in characters.dropLast(padding).enumerated() {
            guard let sextet = value(of: character) else { return nil }
            bits = ((bits << 6) | sextet) & 0xFF_FFFF
            if index % 4 == 3 { bytes += [UInt8(bits >> 16), UInt8((bits >> 8) & 0xFF), UInt8(bits & 0xFF)] }
        }
        // Unused bits of the last group must be zero.
        switch padding {
        case 1:
            guard bits & 0x3 == 0 else { return nil }
            bytes += [UInt8((bits >> 10) & 0xFF), UInt8((bits >> 2) & 0xFF)]
        case 2:
            guard bits & 0xF == 0 else { return nil }
            bytes.append(UInt8((bits >> 4) & 0xFF))
        default: break
        }
        return bytes
    }

    private static func value(of character: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
