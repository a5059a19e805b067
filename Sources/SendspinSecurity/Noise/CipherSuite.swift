internal import CSodium

/// Cipher suite of a connection; the client selects it.
public enum CipherSuite: CaseIterable, Equatable, Sendable {
    /// ChaCha20-Poly1305 with SHA-256.
    case chaChaPoly
    /// AES-256-GCM with SHA-256.
    case aesGCM

    /// Name on the wire.
    public var name: String {
        switch self {
        case .chaChaPoly: "25519_ChaChaPoly_SHA256"
        case .aesGCM: "25519_AESGCM_SHA256"
        }
    }

    /// Whether the processor supports the suite; libsodium requires special instructions for AES-GCM.
    public var isAvailable: Bool {
        guard Sodium.isInitialized else { return false }
        return self == .chaChaPoly || crypto_aead_aes256gcm_is_available() == 1
    }

    static let tagLength = 16

    /// Encrypts, authenticates and appends the tag.
    func seal(_ plaintext: [UInt8], key: Secret, nonce: UInt64, associated: [UInt8]) -> [UInt8] {
        let iv = initializationVector(nonce)
        return Array(unsafeUninitializedCapacity: plaintext.count + Self.tagLength) { target, count in
            // The capacity is at least the tag length.
            guard let output = target.baseAddress else { return }
            key.withPointer { key in
                _ =
                    switch self {
                    case .chaChaPoly:
                        crypto_aead_chacha20poly1305_ietf_encrypt(
                            output, nil, plaintext, UInt64(plaintext.count), associated, UInt64(associated.count), nil,
                            iv,
                            key)
                    case .aesGCM:
                        crypto_aead_aes256gcm_encrypt(
                            output, nil, plaintext, UInt64(plaintext.count), associated, UInt64(associated.count), nil,
                            iv,
                            key)
                    }
            }
            count = plaintext.count + Self.tagLength
        }
    }

    /// Decrypts; nil if `ciphertext` is not authentic or too short.
    func open(_ ciphertext: ArraySlice<UInt8>, key: Secret, nonce: UInt64, associated: [UInt8]) -> [UInt8]? {
        guard ciphertext.count >= Self.tagLength else { return nil }
        let iv = initializationVector(nonce)
        var isAuthentic = false
        // One more byte makes the pointer valid for an empty plaintext.
        let plaintext = [UInt8](unsafeUninitializedCapacity: ciphertext.count - Self.tagLength + 1) { target, count in
            guard let output = target.baseAddress else { return }
            isAuthentic = key.withPointer { key in
                ciphertext.withUnsafeBufferPointer { open($0, into: output, key, iv, associated) }
            }
            count = isAuthentic ? ciphertext.count - Self.tagLength : 0
        }
        return isAuthentic ? plaintext : nil
    }

    /// Decrypts in place, and removes the tag; false if the bytes are not authentic and are now unusable.
    func open(_ bytes: inout [UInt8], key: Secret, nonce: UInt64) -> Bool {
        guard bytes.count >= Self.tagLength else { return false }
        let iv = initializationVector(nonce)
        let isAuthentic = bytes.withUnsafeMutableBufferPointer { bytes in
            guard let output = bytes.baseAddress else { return false }
            return key.withPointer { open(UnsafeBufferPointer(bytes), into: output, $0, iv, []) }
        }
        if isAuthentic { bytes.removeLast(Self.tagLength) }
        return isAuthentic
    }

    private func open(
        _ ciphertext: UnsafeBufferPointer<UInt8>, into output: UnsafeMutablePointer<UInt8>,
        _ key: UnsafePointer<UInt8>, _ iv: [UInt8], _ associated: [UInt8]
    ) -> Bool {
        guard let bytes = ciphertext.baseAddress else { return false }
        let count = UInt64(ciphertext.count)
        let status =
            switch self {
            case .chaChaPoly:
                crypto_aead_chacha20poly1305_ietf_decrypt(
                    output, nil, nil, bytes, count, associated, UInt64(associated.count), iv, key)
            case .aesGCM:
                crypto_aead_aes256gcm_decrypt(
                    output, nil, nil, bytes, count, associated, UInt64(associated.count), iv, key)
            }
        return status == 0
    }

    /// Source: Noise, sections 12.3 and 12.4: 32 zero bits and the counter, little-endian for ChaChaPoly, otherwise
    /// big-endian.
    private func initializationVector(_ nonce: UInt64) -> [UInt8] {
        let counter = self == .chaChaPoly ? nonce.littleEndian : nonce.bigEndian
        return [0, 0, 0, 0] + withUnsafeBytes(of: counter) { Array($0) }
    }
}
