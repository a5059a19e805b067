import SendspinSecurity
import SendspinProtocol

/// Settings that determine how a fake server treats its clients.
package struct PeerSettings: Sendable {
    package var name = "fake server"
    package var identity = KeyPair.generate()
    /// The `server_id` in the legacy dialect.
    package var legacyServerID = "fake-server"
    /// Whether clients may connect without encryption.
    package var allowsLegacy = false
    /// Whether clients may connect with encryption.
    package var allowsEncrypted = true
    /// Roles that the server activates if the client supports them.
    package var roles = Role.allCases
    /// Whether the source role is activated without a pairing.
    package var approvesSource = true
    /// Codecs that the server accepts from a source.
    package var sourceCodecs: [AudioCodec] = [.flac, .pcm]
    /// Activities of the first activation.
    package var firstActivities: Set<Activity> = []
    /// Time between the client's hello or handshake and the activation, during which the client must send nothing.
    package var activationDelay = Duration.milliseconds(20)
    /// Time in which a client must confirm a command.
    package var echoTime = Duration.seconds(1)
    /// Time in which a client must send its state after the activation.
    package var stateTime = Duration.seconds(5)
    /// Whether the server names a key that no client knows.
    package var namesUnknownKey = false
    /// Whether the server begins without its key, which the client knows; `renewHandshake` then changes the key.
    package var beginsUnpaired = false
    /// Whether the server answers `client/time`.
    package var answersTime = true
    /// Whether a client that was connected before may become available without a new time exchange.
    package var trustsKnownClocks = false
    /// Not used; `server/init` has version 1, or version 2 with the fault `wrongVersion`.
    package var version = 1
    /// Fault of the server in the first handshake; nil for a correct handshake.
    package var handshakeFault: HandshakeFault?

    package init() {}
}
