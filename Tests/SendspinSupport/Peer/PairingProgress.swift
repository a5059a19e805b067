/// Progress of pairing on one connection.
struct PairingProgress {
    /// Number of activations with pairing since the last handshake.
    var activations = 0
    /// Whether the pairing attempt of the last activation is in progress.
    var isOpen = false
    /// Whether the client has sent `client/pair-init`.
    var isStarted = false
    /// Whether the next activation must begin pairing.
    var isWanted = false
}
