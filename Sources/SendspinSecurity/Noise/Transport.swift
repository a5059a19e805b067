/// An encrypted connection after its handshake.
///
/// A class, because a copy with counters of its own would encrypt two messages with the same nonce. Methods may be
/// called on any thread, but messages must be sent in the order in which they were encrypted.
public final class Transport: Sendable {
    /// Maximum number of bytes of an encrypted message.
    public static let maximumMessageLength = 65_535
    /// Maximum number of bytes that `encrypt` accepts.
    public static let maximumPlaintextLength = maximumMessageLength - CipherSuite.tagLength

    /// Hash of the handshake, equal on both sides: the prologue of the next handshake of this connection.
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

    /// Decrypts the next message.
    ///
    /// The counter does not advance if this throws.
    public func decrypt(_ message: [UInt8]) throws(NoiseFault) -> [UInt8] {
        guard message.count <= Self.maximumMessageLength else {
            throw .messageTooLong(byteCount: message.count, maximum: Self.maximumMessageLength)
        }
        guard message.count >= CipherSuite.tagLength else {
            throw .messageTooShort(byteCount: message.count, minimum: CipherSuite.tagLength)
        }
        return try receiving.decrypt(message)
    }
}
