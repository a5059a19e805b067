/// Reason why a handshake or an encrypted connection fails; the connection must then be closed.
public enum NoiseFault: Error, Equatable, Sendable {
    /// The message has fewer bytes than its fixed parts.
    case messageTooShort(byteCount: Int, minimum: Int)
    /// The message or the plaintext exceeds one Noise message.
    case messageTooLong(byteCount: Int, maximum: Int)
    /// The authentication tag does not match: another key or prologue, or changed bytes.
    case notAuthentic
    /// The peer's public key has low order, so that the shared secret would be public.
    case weakPublicKey
    /// The key has been used for 2^64 - 1 messages.
    case nonceExhausted
    /// A handshake step was called twice or too early.
    case outOfOrder
    /// The processor does not support this cipher suite.
    case suiteUnavailable(CipherSuite)
}

extension NoiseFault: CustomStringConvertible {
    /// A clause for an error message.
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
