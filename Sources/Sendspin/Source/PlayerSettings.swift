import GStreamer

/// Settings that `sendspinsrc` and `sendspinplay` share, and their properties.
protocol PlayerSettings: ElementSettings {
    var clientName: String? { get set }
    var storageFolder: String? { get set }
    var bufferCapacity: UInt32 { get set }
    var outputDelay: Duration { get set }
    var allowsUnencrypted: Bool { get set }
    var unpairedAccess: UnpairedAccess { get set }
}

/// Blurbs of properties that `sendspinsrc` parses and `sendspinplay` copies as strings.
enum PlayerTexts {
    static let uri =
        "Server, as sendspin://host[:port][/path] (NULL = the first server that is found in the local network)"
    static let listenAddress =
        "Address and port at which servers may connect to this player, such as 0.0.0.0:8928 (NULL = this player connects to a server)"
    static let codecs = "Codecs in order of preference: flac, opus and pcm, separated by commas"
    static let allCodecs = "flac,opus,pcm"
}

extension PlayerSettings {
    static var defaultBufferCapacity: UInt32 { 4 << 20 }

    static var clientNameProperty: Property<Self> {
        .string(
            "client-name", \.clientName, "Name of this player in the server's list (NULL = the name of the host)",
            flags: .beforeStart)
    }

    static var storageFolderProperty: Property<Self> {
        .string(
            "storage-folder", \.storageFolder,
            "Folder with the identity and the pairing records of this player (NULL = sendspin in the user's data folder)",
            flags: .beforeStart)
    }

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

    static var unpairedAccessProperty: Property<Self> {
        .choice(
            "unpaired-access", \.unpairedAccess, "When a server that is not paired with this player may play",
            flags: .beforeStart)
    }
}
