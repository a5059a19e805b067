/// Reason why a text is not accepted.
public enum JSONFault: Error, Equatable, Sendable {
    case tooLong(byteCount: Int, limit: Int)
    case tooDeep(limit: Int)
    case notUTF8
    /// Any other fault, as a clause.
    case malformed(String)
}

extension JSONFault: CustomStringConvertible {
    /// A clause for a message.
    public var description: String {
        switch self {
        case .tooLong(let count, let limit): "the text is \(count) bytes long, but the maximum is \(limit)"
        case .tooDeep(let limit): "objects and arrays are nested more than \(limit) levels deep"
        case .notUTF8: "the text is not UTF-8"
        case .malformed(let fault): fault
        }
    }
}
