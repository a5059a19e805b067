import GStreamer
import SendspinProtocol

extension SendspinSink {
    enum CaptureCaps {
        static let template = """
            audio/x-flac, rate=[1, 655350], channels=[1, 8]; \
            audio/x-opus, channel-mapping-family=0, channels=[1, 2]; \
            audio/x-raw, format={S16LE, S24LE, S32LE, S8}, layout=interleaved, rate=[1, 768000], channels=[1, 8]
            """

        private static let depths = ["S8": 8, "S16LE": 16, "S24LE": 24, "S32LE": 32]

        /// Format of captured audio with these caps; nil for FLAC without a header.
        static func format(of caps: Caps) -> CaptureFormat? {
            let rate = number(caps, "rate"), channels = number(caps, "channels")
            switch caps.mediaType() {
            case "audio/x-flac":
                guard case .array(let headers)? = caps.value("streamheader"), case .bytes(let header)? = headers.first
                else {
                    return nil
                }
                return CaptureFormat(.flac, channels: channels ?? 0, sampleRate: rate ?? 0, codecHeader: header)
            case "audio/x-opus": return CaptureFormat(.opus, channels: channels ?? 2, sampleRate: rate ?? 48_000)
            default:
                guard case .string(let name)? = caps.value("format"), let depth = depths[name], let rate, let channels
                else {
                    return nil
                }
                return CaptureFormat(.pcm, channels: channels, sampleRate: rate, bitDepth: depth)
            }
        }

        private static func number(_ caps: Caps, _ field: String) -> Int? {
            guard case .int(let value)? = caps.value(field) else { return nil }
            return Int(value)
        }
    }
}

extension CaptureFormat {
    /// Format of the samples; nil for FLAC and Opus, which have no level.
    var sample: SampleFormat? {
        guard stream.format.codec == .pcm else { return nil }
        switch stream.format.bitDepth {
        case 8: return SampleFormat(.signed8)
        case 16: return SampleFormat(.signed16)
        case 24: return SampleFormat(.signed24)
        default: return SampleFormat(.signed32)
        }
    }
}
