import GStreamer

/// Settings that `sendspinsrc` and `sendspinplay` share, and their properties.
protocol PlayerSettings: ClientSettings {
    var bufferCapacity: UInt32 { get set }
    var outputDelay: Duration { get set }
    var allowsUnencrypted: Bool { get set }
}

/// Texts of the property `codecs`, which `sendspinsrc` parses and `sendspinplay` copies as a string.
enum PlayerTexts {
    static let codecs = "Codecs in order of preference: flac, opus and pcm, separated by commas"
    static let allCodecs = "flac,opus,pcm"
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
}
