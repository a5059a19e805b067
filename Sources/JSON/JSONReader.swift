extension JSONValue {
    /// Reads a JSON text as RFC 8259 defines it: no comments, no trailing commas, no NaN.
    ///
    /// No input traps, and the limits bound time, memory and stack. A byte order mark at the start is ignored.
    public init(parsing text: [UInt8], limits: JSONLimits = JSONLimits()) throws(JSONError) {
        guard text.count <= limits.byteCount else {
            throw JSONError(.tooLong(byteCount: text.count, limit: limits.byteCount), at: 0, of: text)
        }
        let bytes = text.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(text.dropFirst(3)) : text
        var reader = JSONReader(bytes: bytes, depthLimit: limits.depth)
        self = try reader.document()
    }
}

/// Limits of the texts that are read.
///
/// The defaults are far above any preset, and low enough that no text makes an application wait.
public struct JSONLimits: Sendable {
    public var byteCount: Int
    /// How deep objects and arrays nest.
    ///
    /// The reader recurses, so this bounds its stack.
    public var depth: Int

    public init(byteCount: Int = 1_000_000, depth: Int = 64) {
        self.byteCount = byteCount
        self.depth = depth
    }
}

/// A recursive descent over the bytes of a text.
struct JSONReader {
    let bytes: [UInt8]
    let depthLimit: Int
    var position = 0
    private var depth = 0

    init(bytes: [UInt8], depthLimit: Int) {
        self.bytes = bytes
        self.depthLimit = depthLimit
    }

    /// The byte at `position`; nil at the end.
    var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    func error(_ reason: JSONError.Reason) -> JSONError { JSONError(reason, at: position, of: bytes) }

    mutating func document() throws(JSONError) -> JSONValue {
        try checkEncoding()
        skipSpace()
        guard next != nil else { throw error(.empty) }
        let value = try value()
        skipSpace()
        guard next == nil else { throw error(.malformed("there is more text after the value")) }
        return value
    }

    /// Checks the whole text first, so that later the bytes between two ASCII characters are known to be valid.
    private func checkEncoding() throws(JSONError) {
        do throws(UTF8.ValidationError) {
            _ = try UTF8Span(validating: bytes.span)
        } catch {
            throw JSONError(.notUTF8, at: error.byteOffsets.lowerBound, of: bytes)
        }
        // UTF-16 and UTF-32 have zero bytes in every JSON text.
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

    /// Steps over the opening bracket.
    private mutating func descend() throws(JSONError) {
        guard depth < depthLimit else { throw error(.tooDeep(limit: depthLimit)) }
        depth += 1
        position += 1
        skipSpace()
    }
}
