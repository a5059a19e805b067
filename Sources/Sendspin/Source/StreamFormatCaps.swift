import GStreamer
import SendspinProtocol

enum StreamFormatCaps {
    static let template = """
        audio/x-flac, framed=true, rate=[1, 655350], channels=[1, 8]; \
        audio/x-opus, channel-mapping-family=0, rate=48000, channels=[1, 2]; \
        audio/x-raw, format={S16LE, S24LE, S32LE}, layout=interleaved, rate=[1, 768000], channels=[1, 8]
        """

    /// Codecs that the caps accept; all codecs if the caps accept neither FLAC nor PCM, so that negotiation fails.
    static func accepted(_ codecs: [AudioCodec], by caps: Caps?) -> [AudioCodec] {
        guard let caps, !caps.isAny else { return codecs }
        let types: [AudioCodec: String] = [.flac: "audio/x-flac", .opus: "audio/x-opus", .pcm: "audio/x-raw"]
        let accepted = codecs.filter { codec in
            types[codec].flatMap { Caps($0) }.map { !$0.intersection(caps).isEmpty } ?? false
        }
        return accepted.contains { $0 != .opus } ? accepted : codecs
    }

    /// Caps of a stream; nil for FLAC without a header, or PCM with another depth than 16, 24 or 32 bits.
    static func caps(of stream: PlayerStream) -> Caps? {
        let format = stream.format
        let shape = "rate=\(format.sampleRate), channels=\(format.channels)"
        switch format.codec {
        case .flac:
            guard let header = stream.codecHeader else { return nil }
            return Caps("audio/x-flac, framed=true, \(shape)")?
                .setting("streamheader", to: .array([.bytes(header)]))
        case .opus: return Caps("audio/x-opus, channel-mapping-family=0, \(shape)")
        case .pcm:
            return [16: "S16LE", 24: "S24LE", 32: "S32LE"][format.bitDepth].flatMap {
                Caps("audio/x-raw, format=\($0), layout=interleaved, \(shape)")
            }
        }
    }
}
