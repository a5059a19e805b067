import GStreamer

/// Settings that `sendspinsrc` and `sendspinplay` share, and their properties.
protocol PlayerSettings: ClientSettings {
    var bufferCapacity: UInt32 { get set }
    var outputDelay: Duration { get set }
    var allowsUnencrypted: Bool { get set }
    var receivesColours: Bool { get set }
    var visualizerRate: UInt32 { get set }
    var visualizerBands: UInt32 { get set }
}

/// Texts of properties that `sendspinsrc` parses and `sendspinplay` copies as strings.
enum PlayerTexts {
    static let codecs = "Codecs in order of preference: flac, opus and pcm, separated by commas"
    static let allCodecs = "flac,opus,pcm"
    static let visualizer =
        "Data about the music that are requested and posted as messages sendspin-visualizer: loudness, beat, f_peak, spectrum and peak, separated by commas (NULL = none)"
}

extension PlayerSettings {
    static var kind: String { "player" }
    static var defaultBufferCapacity: UInt32 { 4 << 20 }

    static var bufferCapacityProperty: Property<Self> {
        .uint32(
            "buffer-capacity", \.bufferCapacity, in: 65_536...64 << 20,
            "Largest amount of encoded audio that the server may send ahead, in bytes", flags: .beforeStart)
    }

    static var outputDelayProperty: Property<Self> {
        .duration(
            "output-delay", \.outputDelay, in: .zero ... .seconds(5),
            "Delay of the equipment behind the audio output, such as an amplifier, in nanoseconds; the sound is played earlier by this time",
            flags: .anyTime)
    }

    static var allowUnencryptedProperty: Property<Self> {
        .bool(
            "allow-unencrypted", \.allowsUnencrypted,
            "Whether a server that does not encrypt is accepted (protocol of 2025)", flags: .beforeStart)
    }

    static var colorProperty: Property<Self> {
        .bool(
            "color", \.receivesColours,
            "Whether colours that suit the music are requested, and posted as messages sendspin-color",
            flags: .beforeStart)
    }

    static var visualizerRateProperty: Property<Self> {
        .uint32(
            "visualizer-rate", \.visualizerRate, in: 1...120,
            "Largest number of values per second of loudness, f_peak and spectrum each", flags: .beforeStart)
    }

    static var visualizerBandsProperty: Property<Self> {
        .uint32(
            "visualizer-bands", \.visualizerBands, in: 1...128, "Number of bands of the spectrum", flags: .beforeStart)
    }
}
