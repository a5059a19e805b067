import Foundation
import SendspinSupport
import Testing

@testable import SendspinSecurity

@Suite struct TextFormTests {
    @Test func base64EqualsThatOfFoundation() {
        for count in 0...100 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 250) }
            let text = Data(bytes).base64EncodedString()
            let urlSafe = text.replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
                .replacingOccurrences(of: "=", with: "")
            #expect(URLSafeBase64.encode(bytes) == urlSafe)
            #expect(URLSafeBase64.decode(urlSafe, exactly: count) == bytes)
        }
    }

    @Test(arguments: ["A", "AA==", "AB", "A A", "AA\n", "+/8", "AAA=", "ÄÄ", "AA\u{0}A", "🙂", "AA-="])
    func malformedURLSafeTextIsRefused(_ text: String) {
        #expect(URLSafeBase64.decode(text, atMost: 100) == nil)
    }

    @Test func longTextIsRefusedBeforeItIsDecoded() {
        #expect(URLSafeBase64.decode(String(repeating: "A", count: 1_000_000), atMost: 32) == nil)
        #expect(URLSafeBase64.decode("AAAA", atMost: 2) == nil)
        #expect(URLSafeBase64.decode("AAAA", atMost: -1) == nil)
        #expect(URLSafeBase64.decode("AAAA", exactly: 2) == nil)
        #expect(URLSafeBase64.decode("AAAA", exactly: 4) == nil)
        #expect(PreSharedKey(text: String(repeating: "A", count: 44)) == nil)
        #expect(PreSharedKey(text: String(repeating: "A", count: 1_000)) == nil)
    }

    @Test func keysSurviveTheirTextForms() throws {
        for _ in 0..<100 {
            let pair = KeyPair.generate()
            #expect(pair.publicKey.id.utf8.count == 43)
            #expect(PublicKey(id: pair.publicKey.id) == pair.publicKey)
            #expect(KeyPair(secretKey: Secret(copying: pair.secretKey.revealed())) == pair)
            let key = PreSharedKey.generate()
            #expect(PreSharedKey(text: key.revealedText()) == key)
            let token = PairingToken(client: pair.publicKey, key: key)
            #expect(PairingToken(text: token.revealedText()) == token)
            #expect(PairingToken(text: " \n" + token.revealedText().lowercased() + "\t") == token)
            #expect(PairingToken(text: String(token.revealedText().dropFirst(3))) == token)
        }
    }

    @Test func wrongNumberOfBytesIsNoKey() {
        for count in [0, 31, 33] {
            let bytes = [UInt8](repeating: 0, count: count)
            #expect(PublicKey(bytes) == nil)
            #expect(KeyPair(secretKey: Secret(copying: bytes)) == nil)
            #expect(PreSharedKey(Secret(copying: bytes)) == nil)
            #expect(PublicKey(id: URLSafeBase64.encode(bytes)) == nil)
        }
    }

    @Test func malformedTokensAreRefused() {
        let token = PairingToken(client: KeyPair.generate().publicKey, key: .generate()).revealedText()
        let other = [
            "", "SP:", "SP:0", "0", token + "A", String(token.dropLast()), "SP:1" + token.dropFirst(4),
            "SP:0" + String(repeating: "2", count: 103), "SP:0" + String(repeating: "ß", count: 103),
            // The last character has bits that no byte uses.
            String(token.dropLast()) + "B", String(repeating: "A", count: 1_000_000),
        ]
        for text in other { #expect(PairingToken(text: text) == nil) }
    }

    @Test func knownSuitesHaveNames() {
        #expect(CipherSuite(name: "25519_ChaChaPoly_SHA256") == .chaChaPoly)
        #expect(CipherSuite(name: "25519_AESGCM_SHA256") == .aesGCM)
        #expect(CipherSuite(name: "25519_ChaChaPoly_SHA512") == nil)
        #expect(CipherSuite.chaChaPoly.isAvailable)
    }
}
