import JSON

/// Codec of a player stream.
public enum AudioCodec: String, CaseIterable, Sendable {
    /// FLAC; `stream/start` contains its codec header.
    case flac
    /// Opus.
    case opus
    /// PCM, little-endian.
    case pcm
}

/// Format of a player stream, as offered in `client/hello` and started by `stream/start`.
public struct AudioFormat: Hashable, Sendable {
    /// Codec of the chunks.
    public var codec: AudioCodec
    /// Number of channels.
    public var channels: Int
    /// Sample rate in Hz.
    public var sampleRate: Int
    /// Bits per sample; not used for Opus.
    public var bitDepth: Int

    /// Creates a format.
    public init(codec: AudioCodec, channels: Int, sampleRate: Int, bitDepth: Int) {
        self.codec = codec
        self.channels = channels
        self.sampleRate = sampleRate
        self.bitDepth = bitDepth
    }

    /// Number of bytes per PCM frame; samples of 24 bits have 3 bytes.
    var bytesPerFrame: Int { channels * ((bitDepth + 7) / 8) }

    /// Whether both formats are equal, regardless of the bit depth of Opus.
    public func matches(_ other: Self) -> Bool {
        codec == other.codec && channels == other.channels && sampleRate == other.sampleRate
            && (codec == .opus || bitDepth == other.bitDepth)
    }
}

extension AudioFormat: CustomStringConvertible {
    /// A text such as `flac, 48000 Hz, 2 channels, 16 bits`.
    public var description: String {
        "\(codec.rawValue), \(sampleRate) Hz, \(channels) channels" + (codec == .opus ? "" : ", \(bitDepth) bits")
    }
}

extension AudioFormat {
    var json: JSONObject {
        var object = JSONObject()
        object.add("codec", codec.rawValue)
        object.add("channels", channels)
        object.add("sample_rate", sampleRate)
        object.add("bit_depth", bitDepth)
        return object
    }

    init(_ reader: FieldReader) throws(WireFault) {
        codec = try reader.choice("codec")
        channels = Int(try reader.integer("channels", in: 1...64))
        sampleRate = Int(try reader.integer("sample_rate", in: 1...1_536_000))
        bitDepth = Int(try reader.integer("bit_depth", in: (codec == .opus ? 0 : 1)...64))
    }
}
