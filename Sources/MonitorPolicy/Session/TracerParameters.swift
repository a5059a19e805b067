/// The parameters of a tracer: `name=value` pairs, separated by commas.
///
/// A value that contains a comma is quoted, by `"` or `'`. The characters `;` and `)` cannot be used: until
/// GStreamer 1.24 `GST_TRACERS` ends a tracer and its parameters there, also inside of quotes.
///
/// The text of a GstStructure is also accepted: its name, a type before a value, such as `(string)`, and a final `;`
/// are skipped, and `\` escapes a character between `"`.
public struct TracerParameters: Sendable, Equatable {
    /// One parameter.
    public struct Pair: Sendable, Equatable {
        /// The name.
        public var name: String
        /// The value without its quotes.
        public var value: String
    }

    /// The parameters, in order.
    public private(set) var pairs: [Pair] = []
    /// Sentences about parts that are not `name=value`.
    public private(set) var faults: [String] = []

    /// Reads the text in the parentheses after the name of the tracer; as a GstStructure, it begins with `tracer`.
    public init(_ text: String, of tracer: String = "") {
        var part: [UInt8] = []
        var quote: UInt8?
        var isEscaped = false
        var isFirst = true
        for byte in text.utf8 {
            if byte == Self.comma, quote == nil {
                add(part, unless: isFirst ? tracer : "")
                (part, isFirst) = ([], false)
                continue
            }
            part.append(byte)
            if isEscaped {
                isEscaped = false
            } else if quote == Self.doubleQuote, byte == Self.backslash {
                isEscaped = true
            } else if byte == quote {
                quote = nil
            } else if quote == nil, Self.isQuote(byte) {
                quote = byte
            }
        }
        guard quote == nil else {
            faults.append("The quote in \"\(Self.text(part[...]))\" has no end.")
            return
        }
        if part.last == UInt8(ascii: ";") { part.removeLast() }
        add(part, unless: isFirst ? tracer : "")
    }

    private mutating func add(_ part: [UInt8], unless name: String) {
        let part = Self.trim(part[...])
        guard !part.isEmpty, !part.elementsEqual(name.utf8) else { return }
        guard let equals = part.firstIndex(of: UInt8(ascii: "=")), !Self.trim(part[..<equals]).isEmpty else {
            faults.append("\"\(Self.text(part))\" is not name=value; quote a value that contains a comma.")
            return
        }
        pairs.append(
            Pair(
                name: Self.text(Self.trim(part[..<equals])),
                value: Self.text(Self.unquoted(Self.trim(part[(equals + 1)...])))))
    }
}

// Texts are UTF-8 bytes, because an escaped byte may be a part of a character.
extension TracerParameters {
    private static let comma = UInt8(ascii: ",")
    private static let doubleQuote = UInt8(ascii: "\"")
    private static let backslash = UInt8(ascii: "\\")

    private static func isQuote(_ byte: UInt8) -> Bool { byte == doubleQuote || byte == UInt8(ascii: "'") }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

    private static func unquoted(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var text = text
        if text.first == UInt8(ascii: "("), let end = text.firstIndex(of: UInt8(ascii: ")")) {
            text = trim(text[(end + 1)...])
        }
        guard let first = text.first, isQuote(first), text.count > 1, text.last == first else { return text }
        text = text.dropFirst().dropLast()
        return first == doubleQuote ? unescaped(text)[...] : text
    }

    /// Resolves escapes: `\` and three octal digits are a byte; `\` and another character are that character.
    ///
    /// The corresponding C function is `gst_string_unwrap`.
    private static func unescaped(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            guard byte == backslash else {
                result.append(byte)
                continue
            }
            if let octal = octalByte(rest.prefix(3)) {
                result.append(octal)
                rest = rest.dropFirst(3)
            } else if let escaped = rest.popFirst() {
                result.append(escaped)
            }
        }
        return result
    }

    private static func octalByte(_ digits: ArraySlice<UInt8>) -> UInt8? {
        guard digits.count == 3 else { return nil }
        var value = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(digit) else { return nil }
            value = (value * 8) + Int(digit - UInt8(ascii: "0"))
        }
        return UInt8(exactly: value)
    }

    private static func trim(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let isSpace = { (byte: UInt8) in byte == 32 || (9...13).contains(byte) }
        let start = text.firstIndex { !isSpace($0) } ?? text.endIndex
        let end = text.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? start
        return text[start..<end]
    }
}
