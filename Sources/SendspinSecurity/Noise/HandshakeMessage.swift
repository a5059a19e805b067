/// Format of both handshake messages: an ephemeral public key and an encrypted payload.
enum HandshakeMessage {
    static let minimumLength = PublicKey.length + CipherSuite.tagLength
    static let maximumPayload = Transport.maximumMessageLength - minimumLength

    static func split(
        _ message: [UInt8], suite: CipherSuite
    ) throws(NoiseFault) -> (key: PublicKey, ciphertext: ArraySlice<UInt8>) {
        guard suite.isAvailable else { throw .suiteUnavailable(suite) }
        guard message.count <= Transport.maximumMessageLength else {
            throw .messageTooLong(byteCount: message.count, maximum: Transport.maximumMessageLength)
        }
        guard message.count >= minimumLength, let key = PublicKey(Array(message.prefix(PublicKey.length))) else {
            throw .messageTooShort(byteCount: message.count, minimum: minimumLength)
        }
        return (key, message.dropFirst(PublicKey.length))
    }

    static func checkPayload(_ payload: [UInt8]) throws(NoiseFault) {
        guard payload.count <= maximumPayload else {
            throw .messageTooLong(byteCount: payload.count, maximum: maximumPayload)
        }
    }
}
