/// Reason why a handshake or an encrypted connection fails; the connection must then be closed.
public struct NoiseFault: Error, Equatable, Sendable, CustomStringConvertible {
    /// A clause for an error message.
    public let description: String

    private init(_ description: String) { self.description = description }

    static func messageTooShort(byteCount: Int, minimum: Int) -> Self {
        Self("the encrypted message has \(byteCount) bytes, but at least \(minimum) are needed")
    }
    static func messageTooLong(byteCount: Int, maximum: Int) -> Self {
        Self("the message has \(byteCount) bytes, but the maximum is \(maximum)")
    }
    /// The authentication tag does not match, because the peer used another key or prologue, or bytes have changed.
    static let notAuthentic = Self("the message was encrypted with another key, or changed on the way")
    /// The peer's public key has low order, so that the shared secret would be public.
    static let weakPublicKey = Self("the public key of the peer is one of the known weak keys")
    static let nonceExhausted = Self("the key was used for the maximum number of messages")
    static let outOfOrder = Self("the steps of the handshake were called in the wrong order")
    static func suiteUnavailable(_ suite: CipherSuite) -> Self {
        Self("this processor does not support the cipher suite \(suite.name)")
    }
}
