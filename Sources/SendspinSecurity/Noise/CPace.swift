internal import CSodium

/// One side of CPACE-X25519-SHA512 with mutual confirmation: a key exchange that a short code authenticates.
///
/// Each exchange permits one guess of the code. Source: draft-irtf-cfrg-cpace-21. All inputs have less than 128 bytes.
struct CPace: Sendable {
    /// Number of bytes of a confirmation tag.
    static let tagLength = 64

    /// Public share of this side.
    let share: PublicKey
    private let session: [UInt8]
    private let scalar: Secret

    /// Starts an exchange; `channel` is empty and `scalar` is random except in tests.
    ///
    /// Throws `weakPublicKey` if the code leads to a point of low order, which does not happen.
    init(
        code: [UInt8], session: [UInt8], channel: [UInt8] = [], scalar: Secret = Sodium.randomSecret(count: 32)
    ) throws(NoiseFault) {
        _ = Sodium.isInitialized
        self.session = session
        self.scalar = scalar
        let label = Array("CPace255".utf8)
        let padding = [UInt8](repeating: 0, count: max(0, 128 - 3 - code.count - label.count))
        // The code is hashed where it is, because a concatenation would leave a copy of it in memory.
        let head = Self.prefixed(label) + [UInt8(clamping: code.count)]
        let tail = Self.prefixed(padding, channel, session)
        let hash = head.withUnsafeBytes { head in
            code.withUnsafeBytes { code in tail.withUnsafeBytes { Sodium.sha512(head, code, $0) } }
        }
        share = try Self.multiply(hash, by: scalar)
    }

    /// Returns the keys and tags of both sides; throws `weakPublicKey` for a share of low order.
    ///
    /// `names` are the names of the sides, and `isInitiator` is whether this side is the first of them.
    func finish(
        with peer: PublicKey, isInitiator: Bool, names: (initiator: String, responder: String) = ("server", "client")
    ) throws(NoiseFault) -> Outcome {
        var status: CInt = -1
        let shared = Secret(count: 32) { target in
            status = scalar.withPointer { crypto_scalarmult(target, $0, peer.bytes) }
        }
        guard status == 0 else { throw .weakPublicKey }
        let first = Self.prefixed((isInitiator ? share : peer).bytes, Array(names.initiator.utf8))
        let second = Self.prefixed((isInitiator ? peer : share).bytes, Array(names.responder.utf8))
        // Both shares have the same prefix of 32 bytes as the secret.
        let head = Self.prefixed(Array("CPace255_ISK".utf8), session) + [32]
        let key = shared.withBytes { shared in
            head.withUnsafeBytes { head in
                (first + second).withUnsafeBytes { Sodium.sha512(head, shared, $0) }
            }
        }
        let tagKey = key.withBytes { key in
            Array("CPaceMac".utf8 + session).withUnsafeBytes { Sodium.sha512($0, key) }
        }
        return Outcome(
            session: session, key: key, initiatorTag: Sodium.hmacSHA512(key: tagKey, first),
            responderTag: Sodium.hmacSHA512(key: tagKey, second))
    }

    /// Concatenates the parts, each after its length.
    static func prefixed(_ parts: [UInt8]...) -> [UInt8] {
        parts.flatMap { [UInt8(clamping: $0.count)] + $0 }
    }

    /// Multiplies the point of Curve25519 to which Elligator 2 maps the first 32 bytes of `hash`, as X25519 does.
    private static func multiply(_ hash: Secret, by scalar: Secret) throws(NoiseFault) -> PublicKey {
        // libsodium maps to the Edwards form of the curve, and multiplies the point by 8. X25519 clamps its scalar to a
        // multiple of 8, so an eighth of the clamped scalar gives the same product.
        var point = [UInt8](repeating: 0, count: 32)
        hash.withPointer { _ = crypto_core_ed25519_from_uniform(&point, $0) }
        let eighth = Secret(count: 32) { target in
            scalar.withPointer { scalar in
                for index in 0..<32 {
                    let byte = index == 31 ? (scalar[31] & 0x3F) | 0x40 : scalar[index]
                    let next: UInt8 = index == 31 ? 0 : index == 30 ? (scalar[31] & 0x3F) | 0x40 : scalar[index + 1]
                    target[index] = (byte >> 3) | (next << 5)
                }
            }
        }
        var product = [UInt8](repeating: 0, count: 32)
        var share = [UInt8](repeating: 0, count: 32)
        let status = eighth.withPointer { crypto_scalarmult_ed25519_noclamp(&product, $0, point) }
        sodium_memzero(&point, point.count)
        guard status == 0, crypto_sign_ed25519_pk_to_curve25519(&share, product) == 0, let key = PublicKey(share) else {
            throw .weakPublicKey
        }
        return key
    }
}

extension CPace {
    /// The shared key of both sides, and the tags by which they confirm that they have it.
    struct Outcome: Sendable {
        private let session: [UInt8]
        private let key: Secret
        let initiatorTag: [UInt8]
        let responderTag: [UInt8]

        init(session: [UInt8], key: Secret, initiatorTag: [UInt8], responderTag: [UInt8]) {
            (self.session, self.key) = (session, key)
            (self.initiatorTag, self.responderTag) = (initiatorTag, responderTag)
        }

        /// The shared key, for tests.
        var revealedKey: [UInt8] { key.revealed() }

        /// Whether `tag` is that of the initiator, in constant time.
        func confirms(_ tag: [UInt8]) -> Bool {
            tag.count == initiatorTag.count && sodium_memcmp(tag, initiatorTag, tag.count) == 0
        }

        /// Key that wraps a value of Sendspin.
        func wrapKey(_ label: String) -> Secret {
            Array(label.utf8 + session).withUnsafeBytes { label in
                key.withBytes { key in Sodium.secretSHA256(label, key) }
            }
        }
    }
}
