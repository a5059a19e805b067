@testable import SendspinSecurity

/// The server's side of the handshake `Noise_KKpsk2`.
package struct HandshakeInitiator: Sendable {
    private var state: SymmetricState
    private let own: KeyPair
    private let peer: PublicKey
    private let ephemeral: KeyPair
    private enum Step { case first, second, finished }
    private var step = Step.first

    /// Starts a handshake.
    ///
    /// `prologue` is `client/init` and `server/init`, or the hash of the previous handshake of this connection.
    package init(suite: CipherSuite, prologue: [UInt8], own: KeyPair, peer: PublicKey) {
        self.init(suite: suite, prologue: prologue, own: own, peer: peer, ephemeral: .generate())
    }

    /// Starts a handshake with a given ephemeral key, for test vectors.
    package init(suite: CipherSuite, prologue: [UInt8], own: KeyPair, peer: PublicKey, ephemeral: KeyPair) {
        state = SymmetricState(suite: suite, prologue: prologue, initiator: own.publicKey, responder: peer)
        self.own = own
        self.peer = peer
        self.ephemeral = ephemeral
    }

    /// Writes the first message.
    package mutating func writeFirst(_ payload: [UInt8]) throws(NoiseFault) -> [UInt8] {
        guard step == .first else { throw .outOfOrder }
        guard state.suite.isAvailable else { throw .suiteUnavailable(state.suite) }
        try HandshakeMessage.checkPayload(payload)
        var state = state
        state.mixEphemeral(ephemeral.publicKey)
        state.mixKey(try ephemeral.sharedSecret(with: peer))
        state.mixKey(try own.sharedSecret(with: peer))
        let message = ephemeral.publicKey.bytes + state.encryptAndHash(payload)
        self.state = state
        step = .second
        return message
    }

    /// Reads the second message, and returns its payload and the connection.
    ///
    /// An error leaves the state unchanged, so that the server can retry with `PreSharedKey.sentinel`, which a client
    /// without the key uses.
    package mutating func readSecond(
        _ message: [UInt8], key: PreSharedKey
    ) throws(NoiseFault) -> (payload: [UInt8], transport: Transport) {
        guard step == .second else { throw .outOfOrder }
        let (peerEphemeral, ciphertext) = try HandshakeMessage.split(message, suite: state.suite)
        var state = state
        state.mixEphemeral(peerEphemeral)
        state.mixKey(try ephemeral.sharedSecret(with: peerEphemeral))
        state.mixKey(try own.sharedSecret(with: peerEphemeral))
        state.mixKeyAndHash(key)
        let payload = try state.decryptAndHash(ciphertext)
        step = .finished
        let keys = state.split()
        let transport = Transport(
            suite: state.suite, sending: keys.initiator, receiving: keys.responder, handshakeHash: state.hash)
        return (payload, transport)
    }
}

extension CipherSuite {
    /// Finds the suite with a name as in messages; nil if the name is unknown.
    package init?(name: String) {
        guard let suite = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = suite
    }
}
