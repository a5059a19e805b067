import Durations

/// Format of captured audio, and the division of its data into chunks.
public struct CaptureFormat: Equatable, Sendable {
    /// Format for the server.
    public let stream: PlayerStream

    /// Playing time of a chunk of PCM; longer buffers are split, and shorter ones joined.
    static let chunkTime = Duration.milliseconds(20)

    /// Nil for a format that the protocol cannot describe, or FLAC without the header up to STREAMINFO.
    ///
    /// PCM has whole bytes per sample, at most 4. The format of FLAC is that of its STREAMINFO block (RFC 9639,
    /// section 8.2); `channels` and `sampleRate` are then not used.
    public init?(_ codec: AudioCodec, channels: Int, sampleRate: Int, bitDepth: Int = 16, codecHeader: [UInt8]? = nil) {
        var format = AudioFormat(codec: codec, channels: channels, sampleRate: sampleRate, bitDepth: bitDepth)
        var header: [UInt8]?
        if codec == .flac {
            let marked = PlayerStream(format: format, codecHeader: codecHeader.map(Self.withoutOgg))
            guard let information = marked.streamInformation else { return nil }
            header = information
            // 20 bits of sample rate, 3 of channels and 5 of bits per sample begin at byte 18.
            let bits = information[18...21].reduce(0) { ($0 << 8) | Int($1) }
            format.sampleRate = bits >> 12
            format.channels = ((bits >> 9) & 7) + 1
            format.bitDepth = ((bits >> 4) & 31) + 1
        }
        guard (1...1_536_000).contains(format.sampleRate), (1...64).contains(format.channels),
            (1...32).contains(format.bitDepth), codec != .pcm || format.bitDepth.isMultiple(of: 8)
        else { return nil }
        stream = PlayerStream(format: format, codecHeader: header)
    }

    /// Removes the prefix that the first packet of FLAC in Ogg has (RFC 9639, section 10.1).
    ///
    /// The caps of GStreamer's FLAC have this packet.
    private static func withoutOgg(_ header: [UInt8]) -> [UInt8] {
        header.starts(with: [0x7F] + Array("FLAC".utf8)) ? Array(header.dropFirst(9)) : header
    }

    /// Number of bytes per PCM frame; nil for other codecs, whose buffers are not divided.
    var frameBytes: Int? { stream.format.codec == .pcm ? stream.format.bytesPerFrame : nil }

    /// Number of frames of a chunk of PCM.
    var chunkFrames: Int { max(frames(in: Self.chunkTime), 1) }

    /// Number of frames in `time`, at most 10 s.
    private func frames(in time: Duration) -> Int {
        Int(Int64(nanosecondsOf: time) * Int64(stream.format.sampleRate) / 1_000_000_000)
    }

    /// Playing time of frames, at most 2^31.
    func duration(_ frames: Int) -> Duration {
        .nanoseconds(Int64(frames) * 1_000_000_000 / Int64(stream.format.sampleRate))
    }

    /// Playing time of PCM; nil for other codecs.
    public func duration(ofPCM byteCount: Int) -> Duration? { frameBytes.map { duration(byteCount / $0) } }

    /// Playing time of the data of one buffer; nil if it is malformed.
    ///
    /// Malformed data are part of a PCM frame, no FLAC frame or no Opus packet.
    func duration(of data: ArraySlice<UInt8>) -> Duration? {
        switch stream.format.codec {
        case .pcm:
            guard let frameBytes, !data.isEmpty, data.count.isMultiple(of: frameBytes) else { return nil }
            return duration(data.count / frameBytes)
        case .flac: return FLACFrames.samples(in: data).map { duration($0) }
        // An Opus packet counts its samples at 48 kHz, whatever rate its caps have.
        case .opus: return OpusPacket.samples(in: data).map { .nanoseconds(Int64($0) * 1_000_000_000 / 48_000) }
        }
    }
}
