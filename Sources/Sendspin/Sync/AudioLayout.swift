import Durations
import GStreamer
import SendspinProtocol

/// Format of raw audio that `sendspinsync` can correct.
struct AudioLayout: Sendable, Equatable {
    let sample: SampleFormat
    let rate: Int
    let channels: Int

    /// Limits that prevent overflow of durations and byte counts.
    private static let rates = 1...768_000, channelCounts = 1...64

    /// Nil for caps that pass unchanged.
    init?(_ caps: Caps) {
        guard case .string(let name)? = caps.value("format"), case .int(let rate)? = caps.value("rate"),
            case .int(let channels)? = caps.value("channels"), let sample = SampleFormat(gstreamerName: name),
            case .string("interleaved")? = caps.value("layout"), Self.rates.contains(Int(rate)),
            Self.channelCounts.contains(Int(channels))
        else { return nil }
        self.sample = sample
        self.rate = Int(rate)
        self.channels = Int(channels)
    }

    var frameBytes: Int { sample.bytes * channels }

    /// Number of frames in a duration of at most 1 h.
    func frames(_ duration: Duration) -> Int { Int(Int64(nanosecondsOf: duration) * Int64(rate) / 1_000_000_000) }

    func duration(_ frames: Int) -> Duration { .nanoseconds(Int64(frames) * 1_000_000_000 / Int64(rate)) }
}

extension SampleFormat {
    /// Parses a name of `GstAudioFormat`; nil for a format that passes unchanged.
    init?(gstreamerName name: String) {
        switch name {
        case "S8": self.init(.signed8)
        case "U8": self.init(.unsigned8)
        default:
            let isBigEndian = name.hasSuffix("BE")
            guard isBigEndian || name.hasSuffix("LE"), let encoding = Encoding(gstreamerName: name.dropLast(2)) else {
                return nil
            }
            self.init(encoding, isBigEndian: isBigEndian)
        }
    }
}

extension SampleFormat.Encoding {
    /// Parses a name of `GstAudioFormat` without its byte order.
    fileprivate init?(gstreamerName name: Substring) {
        switch name {
        case "S16": self = .signed16
        case "S24": self = .signed24
        case "S24_32": self = .signed24in32
        case "S32": self = .signed32
        case "F32": self = .float32
        case "F64": self = .float64
        default: return nil
        }
    }
}

func magnitude(_ time: Duration) -> Duration { time < .zero ? .zero - time : time }
