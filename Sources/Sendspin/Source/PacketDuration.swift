import SendspinProtocol

/// Duration of a chunk, from its data.
enum PacketDuration {
    /// Nil if the data does not show it.
    static func of(_ payload: ArraySlice<UInt8>, _ format: AudioFormat) -> Duration? {
        let samples: Int?
        switch format.codec {
        case .pcm: samples = payload.count / max(format.channels * format.bitDepth / 8, 1)
        case .opus: samples = OpusPacket.samples(in: payload)
        case .flac: samples = FLACFrames.samples(in: payload)
        }
        guard let samples, format.sampleRate > 0 else { return nil }
        // At most 2 MB of data: the product cannot overflow.
        return .nanoseconds(Int64(samples) * 1_000_000_000 / Int64(format.codec == .opus ? 48_000 : format.sampleRate))
    }
}
