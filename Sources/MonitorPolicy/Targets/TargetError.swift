/// A fault in the text or the file of targets: its place, the faulty value, and the values that are allowed there.
public struct TargetError: Error, Equatable, CustomStringConvertible {
    /// Place of the fault.
    public enum Place: Equatable, Sendable {
        /// Column of the text in code points, from 1.
        case column(Int)
        /// Names that lead to the value in a JSON file, outermost first.
        case path([String])
        /// Place of a syntax error in a JSON file, both from 1.
        case line(Int, column: Int)
    }

    /// Place of the fault.
    public let place: Place
    /// The fault as a clause that contains the value: `"p96" is not a limit`.
    public let fault: String
    /// Values that are allowed there; empty for a syntax error of JSON.
    public let allowed: String

    /// A clause for a message: `column 10: "p96" is not a limit (allowed: p50, p95)`.
    public var description: String {
        let place =
            switch place {
            case .column(let column): "column \(column)"
            case .path(let names): names.isEmpty ? "the file" : names.joined(separator: " > ")
            case .line(let line, let column): "line \(line), column \(column)"
            }
        return "\(place): \(fault)" + (allowed.isEmpty ? "" : " (allowed: \(allowed))")
    }

    /// Quotes a value for a message, shortened to 40 characters and without control characters.
    static func quote(_ value: some StringProtocol) -> String {
        let printable = value.unicodeScalars.prefix(40).map { $0.value < 32 || $0.value == 127 ? "?" : Character($0) }
        return "\"\(String(printable))\(value.unicodeScalars.count > 40 ? "…" : "")\""
    }
}
