import GStreamer

/// The writable properties of `sendspinplay`; those of `sendspinsrc` are passed on to it as they are.
struct SendspinPlaySettings: ElementSettings {
    typealias Report = PlayReport

    var uri: String?
    var listenAddress: String?
    var clientName: String?
    var storageFolder: String?
    var codecs: String? = "flac,opus,pcm"
    var bufferCapacity: UInt32 = 4 << 20
    var outputDelay = Duration.zero
    var allowsUnencrypted = false
    var audioSink: String? = "autoaudiosink"
    var idleTimeout = Duration.seconds(10)
    var volume = 1.0 { didSet { volumeWrites += 1 } }
    var isMuted = false { didSet { volumeWrites += 1 } }
    /// How often `volume` or `mute` was written, also with the same value.
    private(set) var volumeWrites = 0

    static let properties: [Property<Self>] = [
        .string(
            "uri", \.uri,
            "Server, as sendspin://host[:port][/path] (NULL = the first server that is found in the local network)",
            flags: .beforeStart),
        .string(
            "listen-address", \.listenAddress,
            "Address and port at which servers may connect to this player, such as 0.0.0.0:8928 (NULL = this player connects to a server)",
            flags: .beforeStart),
        .string(
            "client-name", \.clientName, "Name of this player in the server's list (NULL = the name of the host)",
            flags: .beforeStart),
        .string(
            "storage-folder", \.storageFolder,
            "Folder with the identity and the pairing records of this player (NULL = sendspin in the user's data folder)",
            flags: .beforeStart),
        .string(
            "codecs", \.codecs, "Codecs in order of preference: flac, opus and pcm, separated by commas",
            flags: .beforeStart),
        .uint32(
            "buffer-capacity", \.bufferCapacity, in: 65_536...64 << 20,
            "Largest amount of encoded audio that the server may send ahead, in bytes", flags: .beforeStart),
        .duration(
            "output-delay", \.outputDelay, in: .zero ... .seconds(5),
            "Delay of the equipment behind the audio output, such as an amplifier, in nanoseconds; the sound is played earlier by this time",
            flags: .anyTime),
        .bool(
            "allow-unencrypted", \.allowsUnencrypted,
            "Whether a server that does not encrypt is accepted (protocol of 2025)", flags: .beforeStart),
        .string(
            "audio-sink", \.audioSink,
            "Audio sink as in a launch line, such as \"pulsesink device=kitchen\"; applies from NULL on",
            flags: [.readable, .writable]),
        .duration(
            "idle-timeout", \.idleTimeout,
            "Time after the end of a stream, or the loss of the server, until the audio device is closed, in nanoseconds (18446744073709551615 = never)",
            flags: .anyTime),
        .double(
            "volume", \.volume, in: 0...10, "Volume as a factor; the server sees its level in percent, at most 100",
            flags: .anyTime),
        .bool("mute", \.isMuted, "Whether the player is muted", flags: .anyTime),
        .structure("stats", "Figures of the source and of the synchronisation", reported: { $0.stats }),
    ]
}
