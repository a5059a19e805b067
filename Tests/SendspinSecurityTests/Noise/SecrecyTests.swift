import SendspinSupport
import Testing

@testable import SendspinSecurity

@Suite struct SecrecyTests {
    /// The texts that `print`, interpolation and `dump` print for a value.
    static func shown(_ value: Any) -> String {
        var text = "\(value) \(String(reflecting: value)) "
        dump(value, to: &text)
        return text
    }

    @Test func noDescriptionShowsASecret() throws {
        let marker = [UInt8](repeating: 0xA7, count: 32)
        let secret = Secret(copying: marker)
        let key = try #require(PreSharedKey(secret))
        let pair = try #require(KeyPair(secretKey: secret))
        // Random keys would contain two equal bytes of the secret by chance.
        let other = try #require(KeyPair(secretKey: Secret(copying: [UInt8](repeating: 1, count: 32)))).publicKey
        let values: [Any] = [
            secret, key, pair, PairingToken(client: other, key: key),
            HandshakeResponder(
                suite: .chaChaPoly, prologue: [], own: pair, peer: other, ephemeral: pair),
            HandshakeInitiator(
                suite: .chaChaPoly, prologue: [], own: pair, peer: other, ephemeral: pair),
            Transport(suite: .chaChaPoly, sending: secret, receiving: secret, handshakeHash: []),
        ]
        for value in values {
            let text = Self.shown(value).lowercased()
            let numbers = text.split { !$0.isLetter && !$0.isNumber }.joined(separator: " ")
            // The forms are two bytes of the secret in decimal and hexadecimal digits, and all bytes in base64.
            for form in ["167 167", "a7a7", key.revealedText().lowercased()] {
                #expect(!text.contains(form) && !numbers.contains(form), "\(type(of: value))")
            }
        }
        #expect("\(secret)" == "<32 secret bytes>")
    }

    @Test func secretIsOverwrittenBeforeItsMemoryIsReleased() {
        // The test reads the bytes in `willRelease`, while the memory still belongs to the secret.
        nonisolated(unsafe) var last: [UInt8] = [1]
        do {
            let secret = Secret(count: 32, willRelease: { last = Array($0) }) { $0.update(repeating: 0xA7, count: 32) }
            #expect(secret.revealed() == [UInt8](repeating: 0xA7, count: 32))
        }
        #expect(last == [UInt8](repeating: 0, count: 32))
    }

    @Test func equalSecretsAreEqual() {
        let one = Secret(copying: [1, 2, 3])
        #expect(one == Secret(copying: [1, 2, 3]))
        #expect(one != Secret(copying: [1, 2, 4]))
        #expect(one != Secret(copying: [1, 2]))
        #expect(Secret(copying: []) == Secret(copying: []))
    }
}
