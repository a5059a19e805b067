import SendspinSupport
import Testing

@testable import SendspinSecurity

@Suite struct HostileInputTests {
    /// Points of low order (RFC 7748, section 6.1, and the orders 1, 2, 4 and 8 of the curve and its twist).
    static let weakKeys = [
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
        "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    ]

    @Test(arguments: weakKeys)
    func weakStaticKeyOfThePeerIsRefused(_ hex: String) throws {
        let weak = try #require(PublicKey(bytes(hex)))
        var server = HandshakeInitiator(suite: .chaChaPoly, prologue: [], own: .generate(), peer: weak)
        #expect(throws: NoiseFault.weakPublicKey) { try server.writeFirst([]) }
    }

    @Test(arguments: weakKeys)
    func weakEphemeralKeyIsRefusedByBothRoles(_ hex: String) throws {
        let peers = Peers()
        var (server, client) = (peers.initiator(), peers.responder())
        let message = bytes(hex) + [UInt8](repeating: 0, count: 16)
        #expect(throws: NoiseFault.weakPublicKey) { try client.readFirst(message) }
        _ = try server.writeFirst([])
        #expect(throws: NoiseFault.weakPublicKey) { try server.readSecond(message, key: peers.key) }
    }

    @Test func everyWrongLengthOfAHandshakeMessageIsRefused() throws {
        let peers = Peers()
        var server = peers.initiator()
        let message = try server.writeFirst([1, 2, 3, 4])
        for count in 0..<message.count {
            var client = peers.responder()
            let fault = #expect(throws: NoiseFault.self) { try client.readFirst(Array(message.prefix(count))) }
            #expect(fault == (count < 48 ? .messageTooShort(byteCount: count, minimum: 48) : .notAuthentic))
        }
        var client = peers.responder()
        #expect(throws: NoiseFault.notAuthentic) { try client.readFirst(message + [0]) }
        let long = message + [UInt8](repeating: 0, count: 65_536 - message.count)
        #expect(throws: NoiseFault.messageTooLong(byteCount: 65_536, maximum: 65_535)) { try client.readFirst(long) }
        // A refused message does not change the state of the handshake.
        #expect(try client.readFirst(message) == [1, 2, 3, 4])
    }

    @Test func everyChangedByteOfAHandshakeIsRefused() throws {
        let peers = Peers()
        var (server, client) = (peers.initiator(), peers.responder())
        let first = try server.writeFirst([1, 2])
        for index in first.indices {
            var changed = first
            changed[index] ^= 1
            #expect(throws: NoiseFault.self) { try client.readFirst(changed) }
        }
        _ = try client.readFirst(first)
        let (second, _) = try client.writeSecond([3, 4], key: peers.key)
        for index in second.indices {
            var changed = second
            changed[index] ^= 0x10
            #expect(throws: NoiseFault.self) { try server.readSecond(changed, key: peers.key) }
        }
        #expect(try server.readSecond(second, key: peers.key).payload == [3, 4])
    }

    @Test func everyChangedByteOfAMessageIsRefused() throws {
        let (server, client) = try Peers().shakeHands()
        let message = try server.encrypt([1, 2, 3])
        for index in message.indices {
            var changed = message
            changed[index] ^= 0x80
            #expect(throws: NoiseFault.notAuthentic) { try client.decrypt(changed) }
        }
        for count in 0..<message.count {
            #expect(throws: NoiseFault.self) { try client.decrypt(Array(message.prefix(count))) }
        }
        #expect(try client.decrypt(message) == [1, 2, 3])
    }

    @Test func repeatedSwappedOrReflectedMessageIsRefused() throws {
        let (server, client) = try Peers().shakeHands()
        let (first, second) = (try server.encrypt([1]), try server.encrypt([2]))
        #expect(throws: NoiseFault.notAuthentic) { try client.decrypt(second) }
        #expect(throws: NoiseFault.notAuthentic) { try server.decrypt(first) }
        #expect(try client.decrypt(first) == [1])
        #expect(throws: NoiseFault.notAuthentic) { try client.decrypt(first) }
        #expect(try client.decrypt(second) == [2])
    }

    @Test func tooLongPlaintextsAndMessagesAreRefused() throws {
        let (server, client) = try Peers().shakeHands()
        let long = [UInt8](repeating: 0, count: 65_520)
        #expect(throws: NoiseFault.messageTooLong(byteCount: 65_520, maximum: 65_519)) { try server.encrypt(long) }
        let message = [UInt8](repeating: 0, count: 65_536)
        #expect(throws: NoiseFault.messageTooLong(byteCount: 65_536, maximum: 65_535)) {
            try client.decrypt(message)
        }
        var handshake = Peers().initiator()
        #expect(throws: NoiseFault.messageTooLong(byteCount: 65_520, maximum: 65_487)) {
            try handshake.writeFirst(long)
        }
    }

    @Test(arguments: CipherSuite.allCases)
    func lastNonceIsNotUsed(_ suite: CipherSuite) throws {
        guard suite.isAvailable else { return }
        let key = Secret(copying: [UInt8](repeating: 1, count: 32))
        let transport = { Transport(suite: suite, sending: key, receiving: key, handshakeHash: [], nonce: .max - 1) }
        let (server, client) = (transport(), transport())
        let message = try server.encrypt([5])
        #expect(throws: NoiseFault.nonceExhausted) { try server.encrypt([6]) }
        #expect(try client.decrypt(message) == [5])
        #expect(throws: NoiseFault.nonceExhausted) { try client.decrypt(message) }
    }

    @Test func randomMessagesAreRefused() {
        var random = SystemRandomNumberGenerator()
        let peers = Peers()
        var client = peers.responder()
        for _ in 0..<1_000 {
            let message = (0..<Int.random(in: 0...200, using: &random)).map { _ in UInt8.random(in: 0...255) }
            #expect(throws: NoiseFault.self) { try client.readFirst(message) }
        }
    }
}
