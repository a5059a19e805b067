/// The negotiated format of an audio stream.
///
/// The corresponding C type is `GstAudioInfo`.
public struct AudioInfo: Sendable, Equatable {
    /// GStreamer's name of the sample format, such as `F32LE`.
    public let name: String
    /// Frames per second; a frame has one sample of each channel.
    public let rate: Int
    /// Number of channels.
    public let channels: Int
    /// Whether the samples of a frame follow each other; otherwise each channel has its own memory.
    public let isInterleaved: Bool

    /// The format of `audio/x-raw`; nil for other caps, and if a field is missing.
    ///
    /// The corresponding C function is `gst_audio_info_from_caps`.
    public init?(_ caps: Caps) {
        guard caps.isFixed, caps.mediaType() == "audio/x-raw", case .string(let name) = caps.value("format"),
            case .int(let rate) = caps.value("rate"), case .int(let channels) = caps.value("channels"),
            rate > 0, channels > 0
        else { return nil }
        (self.name, self.rate, self.channels) = (name, Int(rate), Int(channels))
        guard case .string(let layout) = caps.value("layout") else { return nil }
        isInterleaved = layout == "interleaved"
    }
}
