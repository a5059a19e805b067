import SendspinNoise
import SendspinWire

/// How a fake server treats its clients.
public struct PeerSettings: Sendable {
    public var name = "fake server"
    public var identity = KeyPair.generate()
    /// The `server_id` in the legacy dialect.
    public var legacyServerID = "fake-server"
    /// Whether clients may connect without encryption.
    public var allowsLegacy = false
    /// Whether clients may connect with encryption.
    public var allowsEncrypted = true
    /// Roles that are activated, if the client supports them.
    public var roles = Role.allCases
    /// Activities of the first activation.
    public var firstActivities: Set<Activity> = []
    /// Time between the answer of the client and the activation, in which the client must be silent.
    public var activationDelay = Duration.milliseconds(20)
    /// Time in which a client must confirm a command.
    public var echoTime = Duration.seconds(1)
    /// Time in which a client must send its state after the activation.
    public var stateTime = Duration.seconds(5)
    /// Key that the server names instead of its own, which no client knows.
    public var namesUnknownKey = false
    /// Whether the server answers `client/time`.
    public var answersTime = true
    /// Whether a client that was connected before may be available without a new exchange.
    public var trustsKnownClocks = false
    /// Version in `server/init`.
    public var version = 1
    /// Fault of the server in the first handshake.
    public var handshakeFault: HandshakeFault?

    public init() {}
}
