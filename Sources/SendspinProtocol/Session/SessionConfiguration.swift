import SendspinSecurity

/// Fixed settings of a session.
public struct SessionConfiguration: Sendable {
    /// Name of the client, shown by the server.
    public var name: String
    /// Description of the device, shown by the server.
    public var device: DeviceInformation
    /// Roles that the client offers.
    public var roles: [Role]
    /// Formats of the player in order of preference; at least one must be FLAC or PCM.
    public var formats: [AudioFormat]
    /// Number of bytes of encoded audio that the player buffers.
    public var bufferCapacity: Int
    /// Channels of the artwork role, at most four.
    public var artwork: [ArtworkChannel]
    /// Whether a server may play without pairing.
    ///
    /// Such a connection can be intercepted.
    public var allowsUnpairedAccess: Bool
    /// Identity that the server must have unless a key authenticates it; nil for any, empty if it cannot be read.
    public var expectedServerID: String?
    /// Whether another server may wait for this client: a connection then ends without a role or a secret key in time.
    public var endsWithoutRole = false
    /// Protocol that `start` opens the connection with.
    public var dialect: Dialect
    /// Identifier of the client in the legacy dialect; any text.
    public var legacyClientID: String
    /// Cipher suite, which the client selects.
    public var suite: CipherSuite
    /// Whether the server connected to this client: the owner then calls `admit` or `dismiss` after `Event.activated`.
    public var isServerInitiated: Bool
    /// Limits of memory and time.
    public var limits: SessionLimits

    /// A configuration of its parts.
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

/// Limits of memory and time of a session; they hold whatever the server sends.
public struct SessionLimits: Sendable {
    /// Maximum number of bytes of a message without encryption.
    var messageSize = 2_097_152
    /// Maximum number of bytes of an encrypted message, joined from its fragments: a text, or 150 ms of audio.
    public var joinedSize = 524_288
    /// Maximum number of bytes of a JSON text.
    public var textSize = 262_144
    /// Maximum nesting of a JSON text.
    var textDepth = 16
    /// Maximum number of bytes of an image; a larger one is discarded.
    public var imageSize = 1_048_576
    /// Time for each step until the first activation, and between a new handshake and its activation.
    ///
    /// A server-initiated connection has this time for all steps until the first activation together, and with
    /// `endsWithoutRole` each connection for those until its first role.
    public var stepTimeout = Duration.seconds(30)
    /// Time for the server to finish a pairing attempt.
    var pairingTimeout = Duration.seconds(120)
    /// Time after an activation at which a client whose clock has not converged states that it is unavailable.
    ///
    /// Strict servers require a state within 5 s.
    var stateTimeout = Duration.seconds(3)

    /// The default limits.
    public init() {}
}
