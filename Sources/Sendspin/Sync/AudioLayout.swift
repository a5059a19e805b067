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

    /// Parses caps; nil for a format that passes unchanged.
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
    private static let encodings: [String: Encoding] = [
        "S8": .signed8, "U8": .unsigned8, "S16": .signed16, "S24": .signed24, "S24_32": .signed24in32,
        "S32": .signed32, "F32": .float32, "F64": .float64,
    ]

    /// Parses a name of `GstAudioFormat`; nil for a format that passes unchanged.
    init?(gstreamerName name: String) {
        let isBigEndian = name.hasSuffix("BE")
        let hasOrder = isBigEndian || name.hasSuffix("LE")
        guard let encoding = Self.encodings[hasOrder ? String(name.dropLast(2)) : name] else { return nil }
        self.init(encoding, isBigEndian: isBigEndian)
        guard hasOrder == (bytes > 1) else { return nil }
    }
}

func magnitude(_ time: Duration) -> Duration { time < .zero ? .zero - time : time }
