extension JSONValue {
    /// Parses a JSON text according to RFC 8259, without comments, trailing commas or NaN.
    ///
    /// An error has the position of the fault. No input traps. `limits` bounds time, memory and stack. A leading byte
    /// order mark is skipped.
    public init(parsing text: [UInt8], limits: JSONLimits = JSONLimits()) throws(JSONError) {
        guard text.count <= limits.byteCount else {
            throw JSONError(.tooLong(byteCount: text.count, limit: limits.byteCount), at: 0, of: text)
        }
        let bytes = text.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(text.dropFirst(3)) : text
        var reader = JSONReader(bytes: bytes, depthLimit: limits.depth)
        self = try reader.document()
    }
}

/// Limits of a parsed text.
///
/// The defaults are far above the size of any preset, and low enough for parsing without a noticeable delay.
public struct JSONLimits: Sendable {
    /// Maximum size of the text in bytes.
    public var byteCount: Int
    /// Maximum nesting of objects and arrays; it bounds the stack of the recursive parser.
    public var depth: Int

    /// Creates limits of the size and the nesting.
    public init(byteCount: Int = 1_000_000, depth: Int = 64) {
        self.byteCount = byteCount
        self.depth = depth
    }
}

/// Recursive descent parser.
struct JSONReader {
    let bytes: [UInt8]
    let depthLimit: Int
    var position = 0
    private var depth = 0

    init(bytes: [UInt8], depthLimit: Int) {
        self.bytes = bytes
        self.depthLimit = depthLimit
    }

    var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    func error(_ reason: JSONError.Reason) -> JSONError { JSONError(reason, at: position, of: bytes) }

    mutating func document() throws(JSONError) -> JSONValue {
        try checkEncoding()
        skipSpace()
        guard next != nil else { throw error(.empty) }
        let value = try value()
        skipSpace()
        guard next == nil else { throw error(.malformed("there is text after the value")) }
        return value
    }

    /// Validates the whole text, so that the bytes between ASCII characters are valid UTF-8.
    private func checkEncoding() throws(JSONError) {
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: bytes.span)
        } catch {
            throw JSONError(.notUTF8, at: error.byteOffsets.lowerBound, of: bytes)
        }
        // JSON texts in UTF-16 or UTF-32 contain zero bytes.
        if let zero = bytes.firstIndex(of: 0) { throw JSONError(.notUTF8, at: zero, of: bytes) }
    }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
    }

    mutating func skip(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        position += 1
        return true
    }

    private mutating func value() throws(JSONError) -> JSONValue {
        switch next {
        case UInt8(ascii: "{"): return .object(try object())
        case UInt8(ascii: "["): return .array(try array())
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "-"), .some(UInt8(ascii: "0")...UInt8(ascii: "9")): return .number(try number())
        default: break
        }
        for (word, value) in [("true", JSONValue.bool(true)), ("false", .bool(false)), ("null", .null)]
        where bytes[position...].starts(with: word.utf8) {
            position += word.utf8.count
            return value
        }
        throw error(.malformed("a value is missing"))
    }
}

// MARK: - Containers

extension JSONReader {
    private mutating func array() throws(JSONError) -> [JSONValue] {
        try descend()
        var elements: [JSONValue] = []
        defer { depth -= 1 }
        guard !skip(UInt8(ascii: "]")) else { return elements }
        while true {
            skipSpace()
            do throws(JSONError) { elements.append(try value()) } catch { throw error.inside("\(elements.count)") }
            skipSpace()
            if skip(UInt8(ascii: ",")) { continue }
            guard skip(UInt8(ascii: "]")) else { throw error(.malformed("a comma or \"]\" is missing")) }
            return elements
        }
    }

    private mutating func object() throws(JSONError) -> JSONObject {
        try descend()
        var object = JSONObject()
        defer { depth -= 1 }
        guard !skip(UInt8(ascii: "}")) else { return object }
        while true {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw error(.malformed("a name in quotation marks is missing")) }
            let name = try string()
            skipSpace()
            guard skip(UInt8(ascii: ":")) else { throw error(.malformed("a colon is missing")) }
            skipSpace()
            do throws(JSONError) { object.append(name, try value()) } catch { throw error.inside(name) }
            skipSpace()
            if skip(UInt8(ascii: ",")) { continue }
            guard skip(UInt8(ascii: "}")) else { throw error(.malformed("a comma or \"}\" is missing")) }
            return object
        }
    }

    /// Skips the opening bracket; throws if the nesting exceeds the limit.
    private mutating func descend() throws(JSONError) {
        guard depth < depthLimit else { throw error(.tooDeep(limit: depthLimit)) }
        depth += 1
        position += 1
        skipSpace()
    }
}
