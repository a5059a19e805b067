import GStreamer
import SendspinProtocol

/// The writable properties of `sendspinplay`; most are copied to its `sendspinsrc`.
struct SendspinPlaySettings: PlayerSettings {
    typealias Report = PlayReport

    var uri: String?
    var listenAddress: String?
    var clientName: String?
    var storageFolder: String?
    var codecs: String? = PlayerTexts.allCodecs
    var bufferCapacity = defaultBufferCapacity
    var outputDelay = Duration.zero
    var allowsUnencrypted = false
    var unpairedAccess = UnpairedAccess.untilPaired
    var pairingCode = PairingCodeDisplay.none
    var receivesColours = false
    var visualizer: String?
    var visualizerRate: UInt32 = 30
    var visualizerBands: UInt32 = 16
    static let defaultSink = "autoaudiosink"
    var audioSink: String? = defaultSink
    var idleTimeout = Duration.seconds(10)
    var volume = 1.0 { didSet { volumeWrites += 1 } }
    var isMuted = false { didSet { volumeWrites += 1 } }
    /// Exponent that converts a percentage of the server to a factor.
    ///
    /// A new curve changes the percentage of a volume that the application has set before.
    var volumeCurve = VolumeRamp.standardCurve { didSet { if volumeWrites > 0 { volumeWrites += 1 } } }
    /// Number of times that `volume` or `mute` was set, including to the value that it already had.
    private(set) var volumeWrites = 0

    static let properties: [Property<Self>] = [
        .string("uri", \.uri, uriText, flags: .beforeStart),
        .string("listen-address", \.listenAddress, listenAddressText, flags: .beforeStart),
        clientNameProperty, storageFolderProperty,
        .string("codecs", \.codecs, PlayerTexts.codecs, flags: .beforeStart),
        bufferCapacityProperty, outputDelayProperty, allowUnencryptedProperty, unpairedAccessProperty,
        pairingCodeProperty, colorProperty,
        .string("visualizer", \.visualizer, PlayerTexts.visualizer, flags: .beforeStart),
        visualizerRateProperty, visualizerBandsProperty,
        .string(
            "audio-sink", \.audioSink,
            "Audio sink as in a launch line, such as \"pulsesink device=kitchen\"; created when the player leaves NULL",
            flags: [.readable, .writable]),
        .duration(
            "idle-timeout", \.idleTimeout,
            "Time after the end of a stream, or the loss of the server, until the audio device is closed, in nanoseconds (18446744073709551615 = never)",
            flags: .anyTime),
        .double(
            "volume", \.volume, in: 0...10, "Volume as a factor; the server sees its level in percent, at most 100",
            flags: .anyTime),
        .bool("mute", \.isMuted, "Whether the player is muted", flags: .anyTime),
        .double(
            "volume-curve", \.volumeCurve, in: SendspinSync.Settings.volumeCurves,
            SendspinSync.Settings.volumeCurveText, flags: .beforeStart),
        .structure("stats", "Figures of the source and of the synchronisation", reported: { $0.stats }),
    ]
}
