import Threads

/// A key with the counter of its messages, for one direction of a connection (Noise, section 5.1).
final class CipherState: Sendable {
    private let suite: CipherSuite
    private let key: Secret
    private let nonce: Mutex<UInt64>

    init(suite: CipherSuite, key: Secret, nonce: UInt64) {
        self.suite = suite
        self.key = key
        self.nonce = Mutex(nonce)
    }

    func encrypt(_ plaintext: [UInt8]) throws(NoiseFault) -> [UInt8] {
        try nonce.withLock { nonce throws(NoiseFault) in
            // Noise reserves the last nonce.
            guard nonce < .max else { throw .nonceExhausted }
            defer { nonce += 1 }
            return suite.seal(plaintext, key: key, nonce: nonce, associated: [])
        }
    }

    func decrypt(_ message: [UInt8]) throws(NoiseFault) -> [UInt8] {
        try nonce.withLock { nonce throws(NoiseFault) in
            guard nonce < .max else { throw .nonceExhausted }
            guard let plaintext = suite.open(message[...], key: key, nonce: nonce, associated: []) else {
                throw .notAuthentic
            }
            nonce += 1
            return plaintext
        }
    }
}
