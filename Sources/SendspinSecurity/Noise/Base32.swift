/// Base32 (RFC 4648) without padding, with `9` instead of `2`: the alphabet of pairing tokens.
enum Base32 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ934567".utf8)

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

    /// Decodes upper-case text to `count` bytes; nil if the length, a character or an unused bit is wrong.
    static func decode(_ text: some Collection<UInt8>, exactly count: Int) -> [UInt8]? {
        guard text.count == (count * 8 + 4) / 5 else { return nil }
        var bytes: [UInt8] = []
        var (bits, bitCount): (UInt32, UInt32) = (0, 0)
        for character in text {
            guard let value = alphabet.firstIndex(of: character) else { return nil }
            bits = ((bits << 5) | UInt32(value)) & 0xFFFF
            bitCount += 5
            guard bitCount >= 8 else { continue }
            bitCount -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> bitCount))
        }
        return (bits & ((1 << bitCount) - 1)) == 0 ? bytes : nil
    }
}
