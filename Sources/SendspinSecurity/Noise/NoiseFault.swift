/// Reason why a handshake or an encrypted connection fails.
///
/// The connection must be closed after any of these.
public enum NoiseFault: Error, Equatable, Sendable {
    /// The message has fewer bytes than its fixed parts need.
    case messageTooShort(byteCount: Int, minimum: Int)
    /// The message or the plaintext has more bytes than one Noise message may have.
    case messageTooLong(byteCount: Int, maximum: Int)
    /// The authentication tag does not match: another key, another prologue, or changed bytes.
    case notAuthentic
    /// The public key of the peer has low order, so that the shared secret would be known to anyone.
    case weakPublicKey
    /// The key has been used for 2^64 - 1 messages.
    case nonceExhausted
    /// A step of the handshake was called twice or before its predecessor.
    case outOfOrder
    /// The processor has no instructions for this cipher suite.
    case suiteUnavailable(CipherSuite)
}

extension NoiseFault: CustomStringConvertible {
    /// A clause for a message.
    public var description: String {
        switch self {
        case .messageTooShort(let count, let minimum):
            "the encrypted message has \(count) bytes, but at least \(minimum) are needed"
        case .messageTooLong(let count, let maximum):
            "the message has \(count) bytes, but the maximum is \(maximum)"
        case .notAuthentic: "the message was encrypted with another key, or changed on the way"
        case .weakPublicKey: "the public key of the peer is one of the known weak keys"
        case .nonceExhausted: "the key was used for the maximum number of messages"
        case .outOfOrder: "the steps of the handshake were called in the wrong order"
        case .suiteUnavailable(let suite): "this processor does not support the cipher suite \(suite.name)"
        }
    }
}
