/// Nonce of an upgrade request: the Base64 form of 16 random bytes.
public struct WebSocketKey: Sendable, Equatable {
    /// The text of the header `Sec-WebSocket-Key`.
    public let text: String

    /// Appended to the key before it is hashed for `Sec-WebSocket-Accept` (RFC 6455, section 1.3).
    public static let suffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// The key of two random numbers.
    public init(_ high: UInt64, _ low: UInt64) {
        // Six bits a digit; four zero bits follow the 128.
        var rest = (UInt128(high) << 64) | UInt128(low)
        var text: [UInt8] = []
        for _ in 0..<21 {
            text.append(Self.digits[Int(rest >> 122)])
            rest <<= 6
        }
        text.append(Self.digits[Int(rest >> 122)])
        self.text = String(decoding: text, as: UTF8.self) + "=="
    }

    /// The key of a request; nil if it is not the Base64 form of 16 bytes.
    init?(_ value: ArraySlice<UInt8>) {
        guard value.count == 24, value.suffix(2).elementsEqual("==".utf8),
            value.dropLast(2).allSatisfy(Self.digits.contains),
            let last = Self.digits.firstIndex(of: value.dropLast(2).last ?? 0),
            last & 0xF == 0
        else { return nil }
        text = String(decoding: value, as: UTF8.self)
    }
}
