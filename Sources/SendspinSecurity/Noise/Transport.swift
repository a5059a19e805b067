/// An encrypted connection after its handshake.
///
/// It is a class, because a copied counter would encrypt two messages with the same nonce. One thread at a time may
/// call the methods, and messages must be sent in the order of their encryption.
public final class Transport: Sendable {
    /// Maximum number of bytes of an encrypted message.
    public static let maximumMessageLength = 65_535
    /// Maximum number of bytes of a plaintext.
    public static let maximumPlaintextLength = maximumMessageLength - CipherSuite.tagLength

    /// Hash of the handshake, equal on both sides; it is the prologue of the next handshake of this connection.
    public let handshakeHash: [UInt8]
    private let sending: CipherState
    private let receiving: CipherState

    init(
        suite: CipherSuite, sending: Secret, receiving: Secret, handshakeHash: [UInt8], nonce: UInt64 = 0
    ) {
        self.handshakeHash = handshakeHash
        self.sending = CipherState(suite: suite, key: sending, nonce: nonce)
        self.receiving = CipherState(suite: suite, key: receiving, nonce: nonce)
    }

    /// Encrypts the next message.
    public func encrypt(_ plaintext: [UInt8]) throws(NoiseFault) -> [UInt8] {
        guard plaintext.count <= Self.maximumPlaintextLength else {
            throw .messageTooLong(byteCount: plaintext.count, maximum: Self.maximumPlaintextLength)
        }
        return try sending.encrypt(plaintext)
    }

    /// Decrypts the next message, in place if its bytes have no other owner; an error does not advance the counter.
    public func decrypt(_ message: consuming [UInt8]) throws(NoiseFault) -> [UInt8] {
        guard message.count <= Self.maximumMessageLength else {
            throw .messageTooLong(byteCount: message.count, maximum: Self.maximumMessageLength)
        }
        guard message.count >= CipherSuite.tagLength else {
            throw .messageTooShort(byteCount: message.count, minimum: CipherSuite.tagLength)
        }
        return try receiving.decrypt(message)
    }
}

/// Key and message counter of one direction of a connection (Noise, section 5.1).
final class CipherState: @unchecked Sendable {  // One thread at a time uses it.
    private let suite: CipherSuite
    private let key: Secret
    private var nonce: UInt64

    init(suite: CipherSuite, key: Secret, nonce: UInt64) {
        self.suite = suite
        self.key = key
        self.nonce = nonce
    }

    func encrypt(_ plaintext: [UInt8]) throws(NoiseFault) -> [UInt8] {
        // Noise reserves the last nonce.
        guard nonce < .max else { throw .nonceExhausted }
        defer { nonce += 1 }
        return suite.seal(plaintext, key: key, nonce: nonce, associated: [])
    }

    func decrypt(_ message: consuming [UInt8]) throws(NoiseFault) -> [UInt8] {
        guard nonce < .max else { throw .nonceExhausted }
        guard suite.open(&message, key: key, nonce: nonce) else { throw .notAuthentic }
        nonce += 1
        return message
    }
}
