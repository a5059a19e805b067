import SendspinProtocol

/// The formats that `sendspinsrc` offers to a server.
enum OfferedFormats {
    /// All formats of the codecs, in their order; at most 48 kHz first, since that is what servers have in store.
    static func list(_ codecs: [AudioCodec]) -> [AudioFormat] {
        codecs.flatMap { codec -> [AudioFormat] in
            switch codec {
            case .opus: [AudioFormat(codec: .opus, channels: 2, sampleRate: 48_000, bitDepth: 16)]
            case .flac, .pcm:
                [48_000, 44_100, 96_000, 192_000].flatMap { rate in
                    [16, 24].map { AudioFormat(codec: codec, channels: 2, sampleRate: rate, bitDepth: $0) }
                }
            }
        }
    }
}
