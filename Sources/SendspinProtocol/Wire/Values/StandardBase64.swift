/// Base64 with the standard alphabet and padding, the encoding of `codec_header`.
public enum StandardBase64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// Encodes `bytes` with padding.
    public static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let group = rest.prefix(3)
            rest = rest.dropFirst(3)
            var bits: UInt32 = 0
            for byte in group { bits = (bits << 8) | UInt32(byte) }
            bits <<= UInt32(8 * (3 - group.count))
            for index in 0..<4 {
                let sextet = Int((bits >> UInt32(18 - 6 * index)) & 0x3F)
                text.append(index <= group.count ? alphabet[sextet] : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the bytes of `text`; nil if it is not base64 with padding.
    public static func decode(_ text: String) -> [UInt8]? {
        let characters = Array(text.utf8)
        guard characters.count.isMultiple(of: 4) else { return nil }
        let padding = characters.suffix(2).reversed().prefix { $0 == UInt8(ascii: "=") }.count
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        for (index, character) in characters.dropLast(padding).enumerated() {
            guard let sextet = value(of: character) else { return nil }
            bits = ((bits << 6) | sextet) & 0xFF_FFFF
            if index % 4 == 3 { bytes += [UInt8(bits >> 16), UInt8((bits >> 8) & 0xFF), UInt8(bits & 0xFF)] }
        }
        // Bits of the last group that belong to no byte must be zero.
        switch padding {
        case 1:
            guard bits & 0x3 == 0 else { return nil }
            bytes += [UInt8((bits >> 10) & 0xFF), UInt8((bits >> 2) & 0xFF)]
        case 2:
            guard bits & 0xF == 0 else { return nil }
            bytes.append(UInt8((bits >> 4) & 0xFF))
        default: break
        }
        return bytes
    }

    private static func value(of character: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
