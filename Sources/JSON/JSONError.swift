/// Reason and position of a syntax error in a JSON text.
public struct JSONError: Error, Equatable {
    /// Reasons why a text is not JSON, or is too large.
    public enum Reason: Equatable, Sendable {
        /// The text has no value.
        case empty
        /// The text exceeds `JSONLimits`.
        case tooLong(byteCount: Int, limit: Int)
        /// The bytes are not UTF-8.
        case notUTF8
        /// The nesting exceeds `JSONLimits`.
        case tooDeep(limit: Int)
        /// A number does not conform to RFC 8259.
        case malformedNumber
        /// Any other fault, as a clause: `a comma or "]" is missing`.
        case malformed(String)
    }

    /// Reason of the error.
    public let reason: Reason
    /// Line of the fault, from 1.
    public let line: Int
    /// Column of the fault in code points, from 1.
    public let column: Int
    /// Member names and element indices that lead to the fault, outermost first.
    public private(set) var path: [String] = []

    /// Prepends `step`, the member or element with the fault, to the path.
    func inside(_ step: String) -> Self {
        var error = self
        error.path.insert(step, at: 0)
        return error
    }
}

extension JSONError {
    /// Creates an error at the byte `offset`, which may be the end of the text.
    init(_ reason: Reason, at offset: Int, of bytes: [UInt8]) {
        let before = bytes.prefix(offset)
        let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        self.reason = reason
        line = 1 + before.count { $0 == UInt8(ascii: "\n") }
        // Continuation bytes of a UTF-8 code point are 0b10xxxxxx.
        column = 1 + before[lineStart...].count { ($0 & 0xC0) != 0x80 }
    }
}

extension JSONError: CustomStringConvertible {
    /// A clause such as `line 3, column 7: a comma or "]" is missing`.
    public var description: String { "line \(line), column \(column): \(reason)" }
}

extension JSONError.Reason: CustomStringConvertible {
    public var description: String {
        switch self {
        case .empty: "the text is empty"
        case .tooLong(let count, let limit): "the text is \(count) bytes long, but the maximum is \(limit)"
        case .notUTF8: "the text is not UTF-8"
        case .tooDeep(let limit): "objects and arrays are nested more than \(limit) levels deep"
        case .malformedNumber: "a number is malformed"
        case .malformed(let fault): fault
        }
    }
}
