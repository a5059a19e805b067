/// Why a text is not valid JSON, and where in it.
public struct JSONError: Error, Equatable {
    public enum Reason: Equatable, Sendable {
        case empty
        case tooLong(byteCount: Int, limit: Int)
        case notUTF8
        case tooDeep(limit: Int)
        case malformedNumber
        /// The fault as half a sentence: `a comma or "]" is missing`.
        case malformed(String)
    }

    public let reason: Reason
    /// Counted from 1.
    public let line: Int
    /// In code points, counted from 1.
    public let column: Int
    /// The names of the objects' members and the indices of the arrays' elements that lead to the fault.
    public private(set) var path: [String] = []

    /// Adds the member or element whose value has the fault.
    func inside(_ step: String) -> Self {
        var error = self
        error.path.insert(step, at: 0)
        return error
    }
}

extension JSONError {
    /// `offset` is the byte at fault, or one past the last.
    init(_ reason: Reason, at offset: Int, of bytes: [UInt8]) {
        let before = bytes.prefix(offset)
        let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        self.reason = reason
        line = 1 + before.count { $0 == UInt8(ascii: "\n") }
        // The bytes of a code point after its first are 0b10xxxxxx.
        column = 1 + before[lineStart...].count { ($0 & 0xC0) != 0x80 }
    }
}

extension JSONError: CustomStringConvertible {
    /// Half a sentence: `line 3, column 7: a comma or "]" is missing`.
    public var description: String { "line \(line), column \(column): \(reason)" }
}

extension JSONError.Reason: CustomStringConvertible {
    public var description: String {
        switch self {
        case .empty: "the text is empty"
        case .tooLong(let count, let limit): "the text is \(count) bytes long, and at most \(limit) are read"
        case .notUTF8: "the text is not UTF-8"
        case .tooDeep(let limit): "objects and arrays are nested more than \(limit) deep"
        case .malformedNumber: "a number is malformed"
        case .malformed(let fault): fault
        }
    }
}
