internal import JSON

/// Checks the tokens of a text without recursion, so that json-glib reads only JSON of limited size.
///
/// json-glib checks the order of the tokens.
struct JSONGuard {
    let limits: JSONLimits
    let bytes: [UInt8]
    var position = 0
    /// The text for json-glib.
    var output: [UInt8] = []
    private var depth = 0
    /// Whether the one value of the text has begun.
    private var hasValue = false

    init(_ bytes: [UInt8], limits: JSONLimits) {
        self.bytes = bytes
        self.limits = limits
    }

    /// The byte at `position`; nil at the end.
    var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    /// Checks all tokens; returns the text with integers that json-glib can represent.
    mutating func checkedText() throws(JSONFault) -> [UInt8] {
        guard bytes.count <= limits.byteCount else {
            throw .tooLong(byteCount: bytes.count, limit: limits.byteCount)
        }
        do throws(UTF8.ValidationError) { _ = try UTF8Span(validating: bytes.span) } catch { throw .notUTF8 }
        output.reserveCapacity(bytes.count)
        while let byte = next { try token(byte) }
        guard hasValue else { throw .malformed("the text is empty") }
        return output
    }

    private mutating func token(_ byte: UInt8) throws(JSONFault) {
        switch byte {
        case 0x20, 0x09, 0x0A, 0x0D: copy()
        case UInt8(ascii: ","), UInt8(ascii: ":"):
            guard depth > 0 else { throw .malformed("there is text after the value") }
            copy()
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            try beginValue()
            guard depth < limits.depth else { throw .tooDeep(limit: limits.depth) }
            depth += 1
            copy()
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            guard depth > 0 else { throw .malformed("a bracket is closed that was not opened") }
            depth -= 1
            copy()
        case UInt8(ascii: "\""):
            try beginValue()
            try string()
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            try beginValue()
            try number()
        default:
            try beginValue()
            try word()
        }
    }

    private mutating func beginValue() throws(JSONFault) {
        guard depth > 0 || !hasValue else { throw .malformed("there is text after the value") }
        hasValue = true
    }

    /// Copies one byte to the output.
    mutating func copy() {
        output.append(bytes[position])
        position += 1
    }

    private mutating func word() throws(JSONFault) {
        for word in ["true", "false", "null"] where bytes[position...].starts(with: word.utf8) {
            for _ in word.utf8 { copy() }
            // `nulls` would be an identifier of JavaScript.
            guard !(next.map { Self.isWordByte($0) } ?? false) else { break }
            return
        }
        throw .malformed("a value is missing")
    }

    static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "\""), 0x80...:
            true
        default: false
        }
    }
}
