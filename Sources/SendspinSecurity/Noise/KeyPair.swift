internal import CSodium

/// X25519 key pair: the persistent identity of a client or a server, or an ephemeral key of a handshake.
public struct KeyPair: Equatable, Sendable {
    /// Public half, 32 bytes.
    public let publicKey: PublicKey
    /// Secret half, 32 bytes.
    public let secretKey: Secret

    /// Creates a random key pair.
    public static func generate() -> KeyPair { KeyPair(Sodium.randomSecret(count: PublicKey.length)) }

    /// Creates the key pair of a secret key; nil unless it has 32 bytes.
    public init?(secretKey: Secret) {
        guard secretKey.count == PublicKey.length else { return nil }
        self.init(secretKey)
    }

    private init(_ secretKey: Secret) {
        _ = Sodium.isInitialized
        self.secretKey = secretKey
        var bytes = [UInt8](repeating: 0, count: PublicKey.length)
        secretKey.withPointer { _ = crypto_scalarmult_base(&bytes, $0) }
        // The array has the required length.
        publicKey = PublicKey(bytes)!
    }

    /// Calculates the Diffie-Hellman secret shared with the owner of `peer`.
    func sharedSecret(with peer: PublicKey) throws(NoiseFault) -> Secret {
        var status: CInt = -1
        let shared = Secret(count: PublicKey.length) { target in
            status = secretKey.withPointer { crypto_scalarmult(target, $0, peer.bytes) }
        }
        // `crypto_scalarmult` fails if the result is zero, which a key of low order causes.
        guard status == 0 else { throw .weakPublicKey }
        return shared
    }
}
