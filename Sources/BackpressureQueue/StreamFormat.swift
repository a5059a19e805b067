import Durations
import GStreamer

/// Name and frame duration of a stream's caps.
struct StreamFormat: Equatable {
    /// The caps' name, such as `video/x-raw`.
    let name: String
    /// Whether the stream is raw video or audio, so that each buffer can be decoded without the others.
    let isRaw: Bool
    /// Duration of a frame in whole nanoseconds; nil without a framerate.
    let frameDuration: Duration?

    init?(_ caps: Caps) {
        guard let name = caps.mediaType() else { return nil }
        self.name = name
        isRaw = name.hasSuffix("/x-raw")
        if case .fraction(let rate) = caps.value("framerate"), rate.numerator > 0, rate.denominator > 0 {
            frameDuration = .nanoseconds(UInt64(rate.denominator) * 1_000_000_000 / UInt64(rate.numerator))
        } else {
            frameDuration = nil
        }
    }
}
