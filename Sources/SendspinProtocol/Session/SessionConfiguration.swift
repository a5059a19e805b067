import SendspinSecurity

/// Fixed settings of a session.
public struct SessionConfiguration: Sendable {
    /// Name of the client in the server's list.
    public var name: String
    /// Description of the device in the server's list.
    public var device: DeviceInformation
    /// Roles that the client offers.
    public var roles: [Role]
    /// Roles that are offered and accepted only on a connection with the key of a pairing.
    public var pairedRoles: Set<Role> = []
    /// Formats in order of preference; at least one must be FLAC or PCM.
    public var formats: [AudioFormat]
    /// Number of bytes of encoded audio that the player can buffer.
    public var bufferCapacity: Int
    /// Channels of the artwork role, at most four.
    public var artwork: [ArtworkChannel]
    /// Data that the visualizer role requests.
    public var visualizer = VisualizerRequest()
    /// Whether the source reports the presence of a signal.
    public var sensesLine = false
    /// Formats in which the owner shows a pairing code; none if servers cannot pair by a code.
    public var codeFormats: [PairingCode.Format] = []
    /// Whether a server may play without pairing; such a connection can be intercepted.
    public var allowsUnpairedAccess: Bool
    /// Required identity of a server that no key authenticates; nil permits any, and an empty text permits none.
    public var expectedServerID: String?
    /// Whether a connection with neither role nor secret key ends after `stepTimeout`, because another server may wait.
    public var endsWithoutRole = false
    /// Protocol that `start` uses.
    public var dialect: Dialect
    /// Identifier of the client in the legacy dialect; may be any text.
    public var legacyClientID: String
    /// Cipher suite that the client selects.
    public var suite: CipherSuite
    /// Whether the server connected to this client; the owner then calls `admit` or `dismiss` after
    /// `SessionEvent.activated`.
    public var isServerInitiated: Bool
    /// Limits of memory and time.
    public var limits: SessionLimits

    /// Creates a configuration.
    public init(
        name: String, device: DeviceInformation = DeviceInformation(),
        roles: [Role] = [.player, .metadata, .controller],
        formats: [AudioFormat], bufferCapacity: Int, artwork: [ArtworkChannel] = [], allowsUnpairedAccess: Bool = true,
        dialect: Dialect = .encrypted, legacyClientID: String = "", suite: CipherSuite = .chaChaPoly,
        isServerInitiated: Bool = false, limits: SessionLimits = SessionLimits()
    ) {
        self.name = name
        self.device = device
        self.roles = roles
        self.formats = formats
        self.bufferCapacity = bufferCapacity
        self.artwork = artwork
        self.allowsUnpairedAccess = allowsUnpairedAccess
        self.dialect = dialect
        self.legacyClientID = legacyClientID
        self.suite = suite
        self.isServerInitiated = isServerInitiated
        self.limits = limits
    }
}

/// Limits of the memory and time that a server can occupy in a session.
public struct SessionLimits: Sendable {
    /// Maximum number of bytes of a WebSocket message.
    var messageSize = 2_097_152
    /// Maximum number of bytes of a message that is joined from fragments, for example 150 ms of audio.
    public var joinedSize = 524_288
    /// Maximum number of bytes of a JSON text.
    public var textSize = 262_144
    /// Maximum nesting of a JSON text.
    var textDepth = 16
    /// Maximum number of bytes of an image; larger images are discarded.
    public var imageSize = 1_048_576
    /// Time for each step up to the first activation, and from a new handshake to its activation.
    ///
    /// On a server-initiated connection, all steps up to the first activation share this time. With `endsWithoutRole`,
    /// all steps up to the first activation with a role or a secret key share this time.
    public var stepTimeout = Duration.seconds(30)
    /// Rounds of pairing with a code since a server has last proved that it has the code; each permits one guess.
    ///
    /// With 20 rounds, an attacker guesses one of a million codes with a probability of 0.002 %.
    var codeRounds = 20
    /// Time in which the server must finish a pairing attempt.
    var pairingTimeout = Duration.seconds(120)
    /// Time after an activation at which a client without a converged clock reports that it is unavailable.
    ///
    /// Strict servers require a state within 5 s.
    var stateTimeout = Duration.seconds(3)

    /// The default limits.
    public init() {}
}
