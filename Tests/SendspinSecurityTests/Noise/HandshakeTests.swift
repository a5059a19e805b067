@testable import SendspinSecurity
import SendspinSupport
import Testing

@Suite struct HandshakeTests {
    @Test(arguments: CipherSuite.allCases)
    func bothRolesAgreeWithRandomKeys(_ suite: CipherSuite) throws {
        guard suite.isAvailable else { return }
        for length in [0, 2, 90, 5_000] {
            let peers = Peers(suite: suite)
            let payload = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
            let (server, client) = try peers.shakeHands(first: payload, second: payload.reversed())
            #expect(server.handshakeHash == client.handshakeHash)
            #expect(server.handshakeHash.count == 32)
            for count in [0, 1, length, Transport.maximumPlaintextLength] {
                let plaintext = [UInt8](repeating: 7, count: count)
                let message = try server.encrypt(plaintext)
                #expect(message.count == count + 16)
                #expect(try client.decrypt(message) == plaintext)
                #expect(try server.decrypt(client.encrypt(plaintext)) == plaintext)
            }
        }
    }

    @Test func aMessageWithoutAnotherOwnerIsDecryptedInPlace() throws {
        let (server, client) = try Peers().shakeHands()
        let message = try server.encrypt([1, 2, 3])
        let address = message.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
        let plaintext = try client.decrypt(consume message)
        #expect(plaintext.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } == address)
    }

    @Test func eachHandshakeAndMessageDiffers() throws {
        let peers = Peers()
        let one = try peers.shakeHands().server
        let other = try peers.shakeHands().server
        let messages = try [one.encrypt([1]), one.encrypt([1]), other.encrypt([1])]
        #expect(Set(messages).count == 3)
        #expect(one.handshakeHash != other.handshakeHash)
    }

    @Test func clientThatDoesNotKnowTheKeyAnswersWithTheSentinel() throws {
        let peers = Peers()
        var (server, client) = (peers.initiator(), peers.responder())
        _ = try client.readFirst(server.writeFirst([]))
        let (answer, clientTransport) = try client.writeSecond([123], key: .sentinel)
        #expect(throws: NoiseFault.notAuthentic) { try server.readSecond(answer, key: peers.key) }
        let (payload, transport) = try server.readSecond(answer, key: .sentinel)
        #expect(payload == [123])
        #expect(try clientTransport.decrypt(transport.encrypt([9])) == [9])
    }

    @Test func anotherPrologueIdentityOrSuiteIsNotAuthentic() throws {
        let peers = Peers()
        var server = peers.initiator()
        let message = try server.writeFirst([1, 2, 3])
        let stranger = KeyPair.generate()
        var responders = [
            HandshakeResponder(
                suite: .chaChaPoly, prologue: [1], own: peers.client, peer: peers.server.publicKey),
            HandshakeResponder(suite: .chaChaPoly, prologue: [], own: stranger, peer: peers.server.publicKey),
            HandshakeResponder(suite: .chaChaPoly, prologue: [], own: peers.client, peer: stranger.publicKey),
        ]
        if CipherSuite.aesGCM.isAvailable {
            responders.append(
                HandshakeResponder(suite: .aesGCM, prologue: [], own: peers.client, peer: peers.server.publicKey))
        }
        for responder in responders {
            var responder = responder
            #expect(throws: NoiseFault.notAuthentic) { try responder.readFirst(message) }
        }
        var honest = peers.responder()
        #expect(try honest.readFirst(message) == [1, 2, 3])
    }

    @Test func stepsOutOfOrderAreRefused() throws {
        let peers = Peers()
        var (server, client) = (peers.initiator(), peers.responder())
        #expect(throws: NoiseFault.outOfOrder) { try client.writeSecond([], key: peers.key) }
        #expect(throws: NoiseFault.outOfOrder) {
            try server.readSecond([UInt8](repeating: 0, count: 48), key: peers.key)
        }
        let first = try server.writeFirst([])
        #expect(throws: NoiseFault.outOfOrder) { try server.writeFirst([]) }
        _ = try client.readFirst(first)
        #expect(throws: NoiseFault.outOfOrder) { try client.readFirst(first) }
        let (second, _) = try client.writeSecond([], key: peers.key)
        #expect(throws: NoiseFault.outOfOrder) { try client.writeSecond([], key: peers.key) }
        _ = try server.readSecond(second, key: peers.key)
        #expect(throws: NoiseFault.outOfOrder) { try server.readSecond(second, key: peers.key) }
    }
}
