internal import CSodium

enum Sodium {
    /// Initializes libsodium once; libsodium aborts the process if the system has no random source.
    static let isInitialized = sodium_init() >= 0

    static func randomSecret(count: Int) -> Secret {
        _ = isInitialized
        return Secret(count: count) { randombytes_buf($0, count) }
    }

    /// SHA-256 of the concatenated parts.
    static func sha256(_ parts: UnsafeRawBufferPointer...) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        sha256(parts, into: &digest)
        return digest
    }

    /// SHA-256 of the concatenated parts as a secret.
    static func secretSHA256(_ parts: UnsafeRawBufferPointer...) -> Secret {
        Secret(count: 32) { sha256(parts, into: $0) }
    }

    private static func sha256(_ parts: [UnsafeRawBufferPointer], into digest: UnsafeMutablePointer<UInt8>) {
        var state = crypto_hash_sha256_state()
        crypto_hash_sha256_init(&state)
        for part in parts { update(&state, part) }
        crypto_hash_sha256_final(&state, digest)
        sodium_memzero(&state, MemoryLayout.size(ofValue: state))
    }

    /// HMAC-SHA-256 of the concatenated parts.
    static func hmac(key: Secret, _ parts: UnsafeRawBufferPointer...) -> Secret {
        var state = crypto_auth_hmacsha256_state()
        key.withPointer { _ = crypto_auth_hmacsha256_init(&state, $0, key.count) }
        for part in parts {
            // An empty array has no base address, which the C function requires, so an empty part is skipped.
            guard let bytes = part.bindMemory(to: UInt8.self).baseAddress else { continue }
            crypto_auth_hmacsha256_update(&state, bytes, UInt64(part.count))
        }
        let tag = Secret(count: 32) { _ = crypto_auth_hmacsha256_final(&state, $0) }
        sodium_memzero(&state, MemoryLayout.size(ofValue: state))
        return tag
    }

    /// SHA-512 of the concatenated parts, none of which is empty.
    static func sha512(_ parts: UnsafeRawBufferPointer...) -> Secret {
        var state = crypto_hash_sha512_state()
        crypto_hash_sha512_init(&state)
        for part in parts {
            guard let bytes = part.bindMemory(to: UInt8.self).baseAddress else { continue }
            crypto_hash_sha512_update(&state, bytes, UInt64(part.count))
        }
        let digest = Secret(count: 64) { _ = crypto_hash_sha512_final(&state, $0) }
        sodium_memzero(&state, MemoryLayout.size(ofValue: state))
        return digest
    }

    /// HMAC-SHA-512.
    static func hmacSHA512(key: Secret, _ message: [UInt8]) -> [UInt8] {
        var state = crypto_auth_hmacsha512_state()
        key.withPointer { _ = crypto_auth_hmacsha512_init(&state, $0, key.count) }
        crypto_auth_hmacsha512_update(&state, message, UInt64(message.count))
        var tag = [UInt8](repeating: 0, count: 64)
        crypto_auth_hmacsha512_final(&state, &tag)
        sodium_memzero(&state, MemoryLayout.size(ofValue: state))
        return tag
    }

    private static func update(_ state: inout crypto_hash_sha256_state, _ part: UnsafeRawBufferPointer) {
        guard let bytes = part.bindMemory(to: UInt8.self).baseAddress else { return }
        crypto_hash_sha256_update(&state, bytes, UInt64(part.count))
    }
}
