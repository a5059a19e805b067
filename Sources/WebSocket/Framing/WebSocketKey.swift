/// Nonce of an upgrade request: 16 random bytes in Base64.
public struct WebSocketKey: Sendable, Equatable {
    /// Value of the header `Sec-WebSocket-Key`.
    public let text: String

    /// Suffix of the key in the hash for `Sec-WebSocket-Accept` (RFC 6455, section 1.3).
    public static let suffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// Creates a key from two random numbers.
    public init(_ high: UInt64, _ low: UInt64) {
        // A digit has 6 bits. Four zero bits follow the 128 bits.
        var rest = (UInt128(high) << 64) | UInt128(low)
        var text: [UInt8] = []
        for _ in 0..<21 {
            text.append(Self.digits[Int(rest >> 122)])
            rest <<= 6
        }
        text.append(Self.digits[Int(rest >> 122)])
        self.text = String(decoding: text, as: UTF8.self) + "=="
    }

    /// Parses the key of a request; nil unless it is 16 bytes in Base64.
    init?(_ value: ArraySlice<UInt8>) {
        guard value.count == 24, value.suffix(2).elementsEqual("==".utf8),
            value.dropLast(2).allSatisfy(Self.digits.contains),
            let last = Self.digits.firstIndex(of: value.dropLast(2).last ?? 0),
            last & 0xF == 0
        else { return nil }
        text = String(decoding: value, as: UTF8.self)
    }
}
