/// The parameters of a tracer: `name=value` pairs, separated by commas.
///
/// A value that contains a comma is quoted, by `"` or `'`. The characters `;` and `)` cannot be used: until
/// GStreamer 1.24 `GST_TRACERS` ends a tracer and its parameters there, also inside of quotes. A type in front of the
/// value, such as `(string)`, is skipped, so that a GstStructure is read as well.
public struct TracerParameters: Sendable, Equatable {
    /// One parameter.
    public struct Pair: Sendable, Equatable {
        /// The name.
        public var name: String
        /// The value without its quotes.
        public var value: String
    }

    /// The parameters in their order.
    public private(set) var pairs: [Pair] = []
    /// Parts that are not `name=value`.
    public private(set) var faults: [String] = []

    /// Reads the text in the parentheses behind the name of the tracer.
    public init(_ text: String) {
        var part: [Character] = []
        var quote: Character?
        for character in text {
            if character == quote {
                quote = nil
            } else if quote == nil, character == "\"" || character == "'" {
                quote = character
            }
            if character == ",", quote == nil {
                add(part)
                part = []
            } else {
                part.append(character)
            }
        }
        if quote != nil {
            faults.append("The quote in \"\(String(part))\" has no end.")
        } else {
            add(part)
        }
    }

    private mutating func add(_ part: [Character]) {
        let part = Self.trim(part[...])
        guard !part.isEmpty else { return }
        guard let equals = part.firstIndex(of: "="), !Self.trim(part[..<equals]).isEmpty else {
            faults.append("\"\(String(part))\" is not name=value; quote a value that contains a comma.")
            return
        }
        pairs.append(
            Pair(name: String(Self.trim(part[..<equals])), value: Self.unquoted(Self.trim(part[(equals + 1)...]))))
    }

    private static func unquoted(_ text: ArraySlice<Character>) -> String {
        var text = text
        if text.first == "(", let end = text.firstIndex(of: ")") { text = trim(text[(end + 1)...]) }
        if let first = text.first, first == "\"" || first == "'", text.count > 1, text.last == first {
            text = text.dropFirst().dropLast()
        }
        return String(text)
    }

    private static func trim(_ text: ArraySlice<Character>) -> ArraySlice<Character> {
        let start = text.firstIndex { !$0.isWhitespace } ?? text.endIndex
        let end = text.lastIndex { !$0.isWhitespace }.map { $0 + 1 } ?? start
        return text[start..<end]
    }
}
