/// Validates UTF-8 that arrives in pieces (RFC 3629).
struct UTF8Validator: Sendable {
    /// Continuation bytes that the current character still needs.
    private var missing: UInt8 = 0
    /// Range of the next continuation byte; excludes overlong forms, surrogates, and values above U+10FFFF.
    private var lowest: UInt8 = 0x80
    private var highest: UInt8 = 0xBF

    /// Whether the text may end here.
    var isComplete: Bool { missing == 0 }

    /// False if the bytes cannot continue the text.
    mutating func accept(_ bytes: ArraySlice<UInt8>) -> Bool {
        for byte in bytes {
            if missing == 0, byte < 0x80 { continue }
            guard accept(byte) else { return false }
        }
        return true
    }

    private mutating func accept(_ byte: UInt8) -> Bool {
        guard missing == 0 else {
            guard byte >= lowest, byte <= highest else { return false }
            missing -= 1
            (lowest, highest) = (0x80, 0xBF)
            return true
        }
        switch byte {
        case 0xC2...0xDF: missing = 1
        case 0xE0: (missing, lowest) = (2, 0xA0)
        case 0xED: (missing, highest) = (2, 0x9F)
        case 0xE1...0xEF: missing = 2
        case 0xF0: (missing, lowest) = (3, 0x90)
        case 0xF1...0xF3: missing = 3
        case 0xF4: (missing, highest) = (3, 0x8F)
        default: return false
        }
        return true
    }

    /// Whether the bytes are a complete text.
    static func isValid(_ bytes: ArraySlice<UInt8>) -> Bool {
        var validator = Self()
        return validator.accept(bytes) && validator.isComplete
    }
}
