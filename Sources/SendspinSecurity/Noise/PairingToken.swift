/// Pairing token: the identity and the pairing key of a client, as a text that the user enters in the server.
public struct PairingToken: Equatable, Sendable {
    /// Identity of the client.
    public let client: PublicKey
    /// Pairing key of the client.
    public let key: PreSharedKey

    /// Creates a token.
    public init(client: PublicKey, key: PreSharedKey) {
        self.client = client
        self.key = key
    }

    /// Returns the secret token as text, `SP:0` and base32; show it only if the user requests it.
    public func revealedText() -> String { "SP:0" + Base32.encode(client.bytes + key.secret.revealed()) }
}

/// Base32 of pairing tokens: RFC 4648 without padding, and with `9` instead of `2`.
enum Base32 {
    static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ934567".utf8)

    static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        var (bits, bitCount): (UInt32, UInt32) = (0, 0)
        for byte in bytes {
            bits = ((bits << 8) | UInt32(byte)) & 0xFFFF
            bitCount += 8
            while bitCount >= 5 {
                bitCount -= 5
                text.append(alphabet[Int((bits >> bitCount) & 31)])
            }
        }
        if bitCount > 0 { text.append(alphabet[Int((bits << (5 - bitCount)) & 31)]) }
        return String(decoding: text, as: UTF8.self)
    }
}
