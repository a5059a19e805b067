import Durations
import GStreamer
import SendspinPlayout

/// Format, rate and channels of raw audio.
struct AudioLayout: Sendable, Equatable {
    let sample: SampleFormat
    let rate: Int
    let channels: Int

    /// Nil for other caps.
    init?(_ caps: Caps) {
        guard case .string(let name)? = caps.value("format"), case .int(let rate)? = caps.value("rate"),
            case .int(let channels)? = caps.value("channels"), let sample = SampleFormat(gstreamerName: name),
            rate > 0, channels > 0
        else { return nil }
        self.sample = sample
        self.rate = Int(rate)
        self.channels = Int(channels)
    }

    /// Number of bytes of a frame.
    var frameBytes: Int { sample.bytes * channels }

    /// Number of frames in a duration of at most an hour.
    func frames(_ duration: Duration) -> Int { Int(Int64(nanosecondsOf: duration) * Int64(rate) / 1_000_000_000) }

    /// Duration of a number of frames.
    func duration(_ frames: Int) -> Duration { .nanoseconds(Int64(frames) * 1_000_000_000 / Int64(rate)) }
}

extension SampleFormat {
    /// Format with a name of `GstAudioFormat`.
    init?(gstreamerName name: String) {
        switch name {
        case "S16LE": self = .signed16
        case "S24LE": self = .signed24
        case "S24_32LE": self = .signed24in32
        case "S32LE": self = .signed32
        case "F32LE": self = .float32
        case "F64LE": self = .float64
        default: return nil
        }
    }
}

/// The absolute value of a time.
func magnitude(_ time: Duration) -> Duration { time < .zero ? .zero - time : time }
