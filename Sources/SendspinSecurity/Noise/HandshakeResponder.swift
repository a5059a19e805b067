/// The client's side of the handshake `Noise_KKpsk2`.
///
/// Both sides know each other's public key. The first message names a pre-shared key, which the client mixes into its
/// answer.
public struct HandshakeResponder: Sendable {
    private var state: SymmetricState
    private let own: KeyPair
    private let peer: PublicKey
    private let ephemeral: KeyPair
    /// Ephemeral key of the peer; nil before the first message.
    private var peerEphemeral: PublicKey?
    private var isFinished = false

    /// Starts a handshake.
    ///
    /// `prologue` is `client/init` and `server/init`, or the hash of the previous handshake of this connection.
    public init(suite: CipherSuite, prologue: [UInt8], own: KeyPair, peer: PublicKey) {
        self.init(suite: suite, prologue: prologue, own: own, peer: peer, ephemeral: .generate())
    }

    /// Starts a handshake with a given ephemeral key, for test vectors.
    init(suite: CipherSuite, prologue: [UInt8], own: KeyPair, peer: PublicKey, ephemeral: KeyPair) {
        state = SymmetricState(suite: suite, prologue: prologue, initiator: peer, responder: own.publicKey)
        self.own = own
        self.peer = peer
        self.ephemeral = ephemeral
    }

    /// Reads the first message and returns its payload; an error leaves the state unchanged.
    public mutating func readFirst(_ message: [UInt8]) throws(NoiseFault) -> [UInt8] {
        guard peerEphemeral == nil else { throw .outOfOrder }
        let (key, ciphertext) = try HandshakeMessage.split(message, suite: state.suite)
        var state = state
        state.mixEphemeral(key)
        state.mixKey(try own.sharedSecret(with: key))
        state.mixKey(try own.sharedSecret(with: peer))
        let payload = try state.decryptAndHash(ciphertext)
        self.state = state
        peerEphemeral = key
        return payload
    }

    /// Writes the second message with the key that the first message named; returns the message and the connection.
    public mutating func writeSecond(
        _ payload: [UInt8], key: PreSharedKey
    ) throws(NoiseFault) -> (message: [UInt8], transport: Transport) {
        guard let peerEphemeral, !isFinished else { throw .outOfOrder }
        try HandshakeMessage.checkPayload(payload)
        state.mixEphemeral(ephemeral.publicKey)
        state.mixKey(try ephemeral.sharedSecret(with: peerEphemeral))
        state.mixKey(try ephemeral.sharedSecret(with: peer))
        state.mixKeyAndHash(key)
        let message = ephemeral.publicKey.bytes + state.encryptAndHash(payload)
        isFinished = true
        let keys = state.split()
        let transport = Transport(
            suite: state.suite, sending: keys.responder, receiving: keys.initiator, handshakeHash: state.hash)
        return (message, transport)
    }
}
