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
        let values: [Any] = [
            secret, key, pair, PairingToken(client: KeyPair.generate().publicKey, key: key),
            HandshakeResponder(
                suite: .chaChaPoly, prologue: [], own: pair, peer: KeyPair.generate().publicKey, ephemeral: pair),
            HandshakeInitiator(
                suite: .chaChaPoly, prologue: [], own: pair, peer: KeyPair.generate().publicKey, ephemeral: pair),
            Transport(suite: .chaChaPoly, sending: secret, receiving: secret, handshakeHash: []),
        ]
        for value in values {
            let text = Self.shown(value).lowercased()
            let numbers = text.split { !$0.isLetter && !$0.isNumber }.joined(separator: " ")
            // Four bytes of the secret in decimal and hexadecimal digits, and all in base64. Random keys may have two.
            for form in ["167 167 167 167", "a7a7a7a7", key.revealedText().lowercased()] {
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
