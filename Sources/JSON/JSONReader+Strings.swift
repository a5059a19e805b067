extension JSONReader {
    /// Parses a string, with its quotation marks.
    mutating func string() throws(JSONError) -> String {
        position += 1
        var text = ""
        var copied = position
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                text += String(decoding: bytes[copied..<position], as: UTF8.self)
                position += 1
                return text
            case UInt8(ascii: "\\"):
                text += String(decoding: bytes[copied..<position], as: UTF8.self)
                text.unicodeScalars.append(try escape())
                copied = position
            case ..<0x20: throw error(.malformed("a control character in a string is not escaped"))
            default: position += 1
            }
        }
        throw error(.malformed("a string has no closing quotation mark"))
    }

    /// Parses an escape sequence, with its backslash.
    private mutating func escape() throws(JSONError) -> Unicode.Scalar {
        let backslash = position
        position += 1
        guard let letter = next else { throw error(.malformed("a string has no closing quotation mark")) }
        position += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(letter)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"):
            guard let scalar = scalarOfHexadecimals() else {
                throw JSONError(.malformed("\\u is not followed by a code point"), at: backslash, of: bytes)
            }
            return scalar
        default: throw JSONError(.malformed("an escape sequence is unknown"), at: backslash, of: bytes)
        }
    }

    /// Parses the code point or surrogate pair after `\u`; nil for invalid digits or an unpaired surrogate.
    private mutating func scalarOfHexadecimals() -> Unicode.Scalar? {
        guard let unit = hexadecimals() else { return nil }
        guard UTF16.isLeadSurrogate(unit) else { return Unicode.Scalar(unit) }
        guard bytes[position...].starts(with: "\\u".utf8) else { return nil }
        position += 2
        guard let other = hexadecimals(), UTF16.isTrailSurrogate(other) else { return nil }
        return Unicode.Scalar(0x10000 + ((UInt32(unit & 0x3FF) << 10) | UInt32(other & 0x3FF)))
    }

    /// Parses four hexadecimal digits; nil for other bytes.
    private mutating func hexadecimals() -> UInt16? {
        guard bytes.count - position >= 4 else { return nil }
        var number: UInt16 = 0
        for byte in bytes[position..<position + 4] {
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
            default: return nil
            }
            number = (number << 4) | UInt16(digit)
        }
        position += 4
        return number
    }
}
