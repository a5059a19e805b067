extension JSONReader {
    mutating func number() throws(JSONError) -> JSONNumber {
        let start = position
        _ = skip(UInt8(ascii: "-"))
        // Digits after a leading zero are also read, so that `01` is a malformed number.
        let beginsWithZero = next == UInt8(ascii: "0")
        let wholeDigits = skipDigits()
        var isWellFormed = wholeDigits == 1 || (wholeDigits > 1 && !beginsWithZero)
        if skip(UInt8(ascii: ".")) { isWellFormed = skipDigits() > 0 && isWellFormed }
        if skip(UInt8(ascii: "e")) || skip(UInt8(ascii: "E")) {
            _ = skip(UInt8(ascii: "-")) || skip(UInt8(ascii: "+"))
            isWellFormed = skipDigits() > 0 && isWellFormed
        }
        guard isWellFormed else { throw JSONError(.malformedNumber, at: start, of: bytes) }
        return JSONNumber(validated: String(decoding: bytes[start..<position], as: UTF8.self))
    }

    private mutating func skipDigits() -> Int {
        let start = position
        while let byte = next, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") { position += 1 }
        return position - start
    }
}
