/// Symmetric state of a handshake (Noise, section 5.2): a key, a chaining key, and the hash of all messages.
struct SymmetricState: Sendable {
    let suite: CipherSuite
    private(set) var hash: [UInt8]
    private var chainingKey: Secret
    private var key: Secret
    // Each handshake message encrypts one payload with a new key, so the nonce is always 0.
    private static let nonce: UInt64 = 0

    /// Mixes in the protocol name, the prologue, and the static keys in the order of the pre-messages of KK.
    init(suite: CipherSuite, prologue: [UInt8], initiator: PublicKey, responder: PublicKey) {
        _ = Sodium.isInitialized
        self.suite = suite
        // Noise hashes only a name that is longer than 32 bytes. The name with AES-GCM has exactly 32 bytes.
        let name = Array("Noise_KKpsk2_\(suite.name)".utf8)
        hash = name.count == 32 ? name : name.withUnsafeBytes { Sodium.sha256($0) }
        chainingKey = Secret(copying: hash)
        key = chainingKey
        mixHash(prologue)
        mixHash(initiator.bytes)
        mixHash(responder.bytes)
    }

    mutating func mixHash(_ bytes: [UInt8]) {
        hash = hash.withUnsafeBytes { hash in bytes.withUnsafeBytes { Sodium.sha256(hash, $0) } }
    }

    mutating func mixKey(_ secret: Secret) {
        (chainingKey, key, _) = secret.withBytes { derive($0) }
    }

    /// Token `e` of a handshake with a pre-shared key: mixes the public key into the hash and the key.
    mutating func mixEphemeral(_ ephemeral: PublicKey) {
        mixHash(ephemeral.bytes)
        (chainingKey, key, _) = ephemeral.bytes.withUnsafeBytes { derive($0) }
    }

    /// Token `psk`: mixes the pre-shared key into the hash and the key.
    mutating func mixKeyAndHash(_ preShared: PreSharedKey) {
        let (chaining, hashed, key) = preShared.secret.withBytes { derive($0) }
        chainingKey = chaining
        self.key = key
        mixHash(hashed.revealed())
    }

    mutating func encryptAndHash(_ plaintext: [UInt8]) -> [UInt8] {
        let ciphertext = suite.seal(plaintext, key: key, nonce: Self.nonce, associated: hash)
        mixHash(ciphertext)
        return ciphertext
    }

    mutating func decryptAndHash(_ ciphertext: ArraySlice<UInt8>) throws(NoiseFault) -> [UInt8] {
        guard let plaintext = suite.open(ciphertext, key: key, nonce: Self.nonce, associated: hash) else {
            throw .notAuthentic
        }
        mixHash(Array(ciphertext))
        return plaintext
    }

    /// Returns the keys of the initiator's and the responder's messages.
    func split() -> (initiator: Secret, responder: Secret) {
        let (first, second, _) = derive(UnsafeRawBufferPointer(start: nil, count: 0))
        return (first, second)
    }

    /// HKDF of the chaining key (Noise, section 4.3), always with three outputs.
    private func derive(_ input: UnsafeRawBufferPointer) -> (Secret, Secret, Secret) {
        let extracted = Sodium.hmac(key: chainingKey, input)
        let first = Self.expand(extracted, nil, 1)
        let second = Self.expand(extracted, first, 2)
        return (first, second, Self.expand(extracted, second, 3))
    }

    private static func expand(_ key: Secret, _ previous: Secret?, _ number: UInt8) -> Secret {
        withUnsafeBytes(of: number) { number in
            guard let previous else { return Sodium.hmac(key: key, number) }
            return previous.withBytes { Sodium.hmac(key: key, $0, number) }
        }
    }
}
