internal import JSON

// MARK: - Numbers

extension JSONGuard {
    /// A number by the grammar of RFC 8259, section 6.
    mutating func number() throws(JSONFault) {
        let start = output.count
        if next == UInt8(ascii: "-") { copy() }
        let beginsWithZero = next == UInt8(ascii: "0")
        let wholeDigits = copyDigits()
        var isWellFormed = wholeDigits == 1 || (wholeDigits > 1 && !beginsWithZero)
        var isInteger = true
        if next == UInt8(ascii: ".") {
            isInteger = false
            copy()
            isWellFormed = copyDigits() > 0 && isWellFormed
        }
        if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
            // json-glib requires a fraction before an exponent.
            if isInteger { output += ".0".utf8 }
            isInteger = false
            copy()
            if next == UInt8(ascii: "-") || next == UInt8(ascii: "+") { copy() }
            isWellFormed = copyDigits() > 0 && isWellFormed
        }
        guard isWellFormed, !(next.map { Self.isWordByte($0) } ?? false) else {
            throw .malformed("a number is malformed")
        }
        // json-glib reads the magnitude of an integer as 64 bits, and the sign afterwards.
        guard isInteger else { return }
        let digits = output[start...].drop { $0 == UInt8(ascii: "-") }
        if Int64(String(decoding: digits, as: UTF8.self)) == nil { output += ".0".utf8 }
    }

    /// Returns the number of digits copied.
    private mutating func copyDigits() -> Int {
        let start = position
        while let byte = next, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") { copy() }
        return position - start
    }
}

// MARK: - Strings

extension JSONGuard {
    mutating func string() throws(JSONFault) {
        copy()
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                copy()
                return
            case UInt8(ascii: "\\"): try escape()
            case ..<0x20: throw .malformed("a control character in a string is not escaped")
            default: copy()
            }
        }
        throw .malformed("a string has no closing quotation mark")
    }

    private mutating func escape() throws(JSONFault) {
        copy()
        switch next {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            copy()
        case UInt8(ascii: "u"):
            let unit = try hexadecimals()
            guard unit != 0 else { throw .malformed("a string contains U+0000") }
            guard unit & 0xF800 == 0xD800 else { return }
            guard UTF16.isLeadSurrogate(unit), bytes[position...].starts(with: "\\u".utf8) else {
                throw .malformed("a surrogate is unpaired")
            }
            copy()
            guard UTF16.isTrailSurrogate(try hexadecimals()) else { throw .malformed("a surrogate is unpaired") }
        default: throw .malformed("an escape sequence is unknown")
        }
    }

    /// Copies a `u` and its four hexadecimal digits.
    private mutating func hexadecimals() throws(JSONFault) -> UInt16 {
        copy()
        var number: UInt16 = 0
        for _ in 0..<4 {
            let digit: UInt8
            switch next {
            case .some(let byte) where byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9"):
                digit = byte - UInt8(ascii: "0")
            case .some(let byte) where byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "f"):
                digit = byte - UInt8(ascii: "a") + 10
            case .some(let byte) where byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "F"):
                digit = byte - UInt8(ascii: "A") + 10
            default: throw .malformed("\\u is not followed by a code point")
            }
            number = (number << 4) | UInt16(digit)
            copy()
        }
        return number
    }
}
