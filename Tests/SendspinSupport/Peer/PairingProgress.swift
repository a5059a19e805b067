/// Progress of pairing on one connection.
struct PairingProgress {
    /// Activations with pairing since the last handshake.
    var activations = 0
    /// Whether the attempt of the last activation is open.
    var isOpen = false
    /// Whether the client has sent `client/pair-init`.
    var isStarted = false
    /// Whether pairing begins at the next activation.
    var isWanted = false
}
