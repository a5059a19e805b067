import SendspinSupport
import Testing

@testable import SendspinSecurity

@Suite struct VectorTests {
    @Test func vectorsOfBothSuitesAreRead() {
        #expect(NoiseVector.all.count == 6)
        #expect(Set(NoiseVector.all.map(\.suite)) == Set(CipherSuite.allCases.map(\.name)))
    }

    @Test(arguments: NoiseVector.all)
    func responderReadsAndWritesTheMessagesOfAnotherImplementation(_ vector: NoiseVector) throws {
        let suite = try #require(CipherSuite(name: vector.suite))
        guard suite.isAvailable else { return }
        let server = try #require(keyPair(vector.serverKey))
        var responder = HandshakeResponder(
            suite: suite, prologue: bytes(vector.prologue), own: try #require(keyPair(vector.clientKey)),
            peer: server.publicKey, ephemeral: try #require(keyPair(vector.clientEphemeral)))
        #expect(try responder.readFirst(bytes(vector.messages[0])) == bytes(vector.payloads[0]))
        let key = try #require(PreSharedKey(Secret(copying: bytes(vector.preSharedKey))))
        let (message, transport) = try responder.writeSecond(bytes(vector.payloads[1]), key: key)
        #expect(message == bytes(vector.messages[1]))
        #expect(transport.handshakeHash == bytes(vector.handshakeHash))
        for (index, plaintext) in vector.plaintexts.enumerated() {
            #expect(try transport.decrypt(bytes(vector.fromServer[index])) == bytes(plaintext))
            #expect(try transport.encrypt(bytes(plaintext)) == bytes(vector.fromClient[index]))
        }
    }

    @Test(arguments: NoiseVector.all)
    func initiatorWritesAndReadsTheMessagesOfAnotherImplementation(_ vector: NoiseVector) throws {
        let suite = try #require(CipherSuite(name: vector.suite))
        guard suite.isAvailable else { return }
        let client = try #require(keyPair(vector.clientKey))
        var initiator = HandshakeInitiator(
            suite: suite, prologue: bytes(vector.prologue), own: try #require(keyPair(vector.serverKey)),
            peer: client.publicKey, ephemeral: try #require(keyPair(vector.serverEphemeral)))
        #expect(try initiator.writeFirst(bytes(vector.payloads[0])) == bytes(vector.messages[0]))
        let key = try #require(PreSharedKey(Secret(copying: bytes(vector.preSharedKey))))
        let (payload, transport) = try initiator.readSecond(bytes(vector.messages[1]), key: key)
        #expect(payload == bytes(vector.payloads[1]))
        #expect(transport.handshakeHash == bytes(vector.handshakeHash))
        for (index, plaintext) in vector.plaintexts.enumerated() {
            #expect(try transport.encrypt(bytes(plaintext)) == bytes(vector.fromServer[index]))
            #expect(try transport.decrypt(bytes(vector.fromClient[index])) == bytes(plaintext))
        }
    }

    @Test(arguments: NoiseVector.all)
    func lateNonceHasTheByteOrderOfTheSuite(_ vector: NoiseVector) throws {
        let suite = try #require(CipherSuite(name: vector.suite))
        guard suite.isAvailable else { return }
        var state = SymmetricState(
            suite: suite, prologue: bytes(vector.prologue),
            initiator: try #require(keyPair(vector.serverKey)).publicKey,
            responder: try #require(keyPair(vector.clientKey)).publicKey)
        let (server, client) = (try #require(keyPair(vector.serverKey)), try #require(keyPair(vector.clientKey)))
        let first = try #require(keyPair(vector.serverEphemeral))
        let second = try #require(keyPair(vector.clientEphemeral))
        state.mixEphemeral(first.publicKey)
        state.mixKey(try first.sharedSecret(with: client.publicKey))
        state.mixKey(try server.sharedSecret(with: client.publicKey))
        _ = state.encryptAndHash(bytes(vector.payloads[0]))
        state.mixEphemeral(second.publicKey)
        state.mixKey(try first.sharedSecret(with: second.publicKey))
        state.mixKey(try server.sharedSecret(with: second.publicKey))
        state.mixKeyAndHash(try #require(PreSharedKey(Secret(copying: bytes(vector.preSharedKey)))))
        _ = state.encryptAndHash(bytes(vector.payloads[1]))
        let sending = CipherState(suite: suite, key: state.split().initiator, nonce: vector.lateNonce)
        #expect(try sending.encrypt(bytes(vector.plaintexts[2])) == bytes(vector.late))
    }

    @Test(arguments: NoiseVector.all)
    func namesAndTokensEqualThoseOfAnotherImplementation(_ vector: NoiseVector) throws {
        let client = try #require(keyPair(vector.clientKey)).publicKey
        let key = try #require(PreSharedKey(Secret(copying: bytes(vector.preSharedKey))))
        #expect(client.id == vector.clientID)
        #expect(PublicKey(id: vector.clientID) == client)
        #expect(key.id == vector.preSharedKeyID)
        #expect(PairingToken(client: client, key: key).revealedText() == vector.token)
        #expect(PairingToken(text: vector.token) == PairingToken(client: client, key: key))
    }

    @Test func sentinelIsThePublishedKey() {
        #expect(PreSharedKey.sentinel.id == "GFsV9tLaSQm9HcFWpKsgYQOr7wFTvNUtkmFwuVz3zoo")
        #expect(
            PreSharedKey.sentinel.secret.revealed()
                == bytes("1b5e24dbc1aed95fc2a5a338a90c05df44bd10f5ec1f4cd66cbf86272767b9d3"))
    }
}
