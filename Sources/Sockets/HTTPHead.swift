/// Start line and header fields of a request or a response (RFC 9112).
public struct HTTPHead: Sendable, Equatable {
    /// Reason why received bytes are not a head.
    public enum Fault: Error, Sendable, Equatable {
        /// The head exceeds `limit` bytes.
        case tooLarge(limit: Int)
        /// The bytes are not a valid HTTP/1.1 head; the text is the reason, such as `it is empty`.
        case malformed(String)
    }

    /// First line, without control characters.
    public let startLine: ArraySlice<UInt8>
    private let fields: [(name: String, value: ArraySlice<UInt8>)]

    /// Parses a head including its empty line; lines end with CR LF or LF.
    init(_ bytes: [UInt8]) throws(Fault) {
        var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
            $0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0
        }
        // Removes the empty line, and the empty piece after the last line feed.
        lines.removeAll(where: \.isEmpty)
        guard let first = lines.first else { throw .malformed("it is empty") }
        guard first.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw .malformed("its first line has control characters")
        }
        startLine = first
        var fields: [(name: String, value: ArraySlice<UInt8>)] = []
        for line in lines.dropFirst() { fields.append(try Self.field(line)) }
        self.fields = fields
    }

    private static func field(_ line: ArraySlice<UInt8>) throws(Fault) -> (String, ArraySlice<UInt8>) {
        // A line with a leading space would continue a field, which HTTP/1.1 forbids.
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
            line[..<colon].allSatisfy(\.isTokenCharacter)
        else { throw .malformed("a header has no valid name") }
        let value = trimmed(line[(colon + 1)...])
        guard value.allSatisfy({ $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) }) else {
            throw .malformed("a header has control characters")
        }
        return (String(decoding: line[..<colon].map(\.lowercased), as: UTF8.self), value)
    }

    /// Removes spaces and tabs at both ends.
    public static func trimmed(_ value: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        let start = value.drop(while: isSpace)
        return start.lastIndex { !isSpace($0) }.map { start[...$0] } ?? []
    }

    /// Method, target and version of a request; nil if the start line is not that of a request.
    public var request: (method: ArraySlice<UInt8>, target: ArraySlice<UInt8>, version: ArraySlice<UInt8>)? {
        let words = startLine.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard words.count == 3, !words[0].isEmpty, words[0].allSatisfy(\.isTokenCharacter) else { return nil }
        return (words[0], words[1], words[2])
    }

    /// Value of a field, whose name is in lower case; nil unless it occurs exactly once.
    public func single(_ name: String) -> ArraySlice<UInt8>? {
        var found: ArraySlice<UInt8>?
        for field in fields where field.name == name {
            guard found == nil else { return nil }
            found = field.value
        }
        return found
    }

    /// Whether the head has a field of this name, which is in lower case.
    public func has(_ name: String) -> Bool { fields.contains { $0.name == name } }

    /// Whether the comma-separated field `name` contains `token`; both arguments are in lower case.
    public func has(_ name: String, token: String) -> Bool {
        fields.contains { field in
            field.name == name
                && field.value.split(separator: UInt8(ascii: ",")).contains {
                    Self.trimmed($0).lazy.map(\.lowercased).elementsEqual(token.utf8)
                }
        }
    }

    /// Whether both heads have equal lines.
    public static func == (a: Self, b: Self) -> Bool {
        a.startLine == b.startLine && a.fields.elementsEqual(b.fields) { $0.name == $1.name && $0.value == $1.value }
    }
}

extension UInt8 {
    /// Lower-case letter of an upper-case ASCII letter; other bytes are unchanged.
    public var lowercased: UInt8 { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self }

    /// Whether a method or a header name may contain the byte (RFC 9110, section 5.6.2).
    var isTokenCharacter: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(self)
        }
    }
}

/// Collects the head of a request or a response.
public struct HTTPHeadReader: Sendable {
    /// Maximum number of bytes of a head.
    public static let limit = 8192

    private let skipsEmptyLines: Bool
    private var bytes: [UInt8] = []
    /// Number of bytes of the current line.
    private var lineLength = 0

    /// Creates a reader; a server may skip empty lines before a request (RFC 9112, section 2.2).
    public init(skipsEmptyLines: Bool = false) { self.skipsEmptyLines = skipsEmptyLines }

    /// Moves bytes from `input` to the reader up to the end of the head; nil while the head is incomplete.
    public mutating func next(_ input: inout ArraySlice<UInt8>) throws(HTTPHead.Fault) -> HTTPHead? {
        while let byte = input.popFirst() {
            if skipsEmptyLines, bytes.isEmpty, byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") { continue }
            guard bytes.count < Self.limit else { throw .tooLarge(limit: Self.limit) }
            bytes.append(byte)
            guard byte == UInt8(ascii: "\n") else {
                lineLength += 1
                continue
            }
            let isEmpty = lineLength == 0 || (lineLength == 1 && bytes[bytes.count - 2] == UInt8(ascii: "\r"))
            lineLength = 0
            if isEmpty { return try HTTPHead(bytes) }
        }
        return nil
    }
}
