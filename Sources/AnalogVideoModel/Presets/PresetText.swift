internal import JSON

extension JSONValue {
    /// Text for a number outside the range of `Double`, such as `1e999`, in messages.
    static let unreadableNumber = "not a readable number"

    /// Text for the value in messages.
    var shown: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .number(let number): number.double?.shortText ?? Self.unreadableNumber
        case .string(let value): value.shortened.debugDescription
        case .array, .object: "an object or array"
        }
    }
}

extension BinaryFloatingPoint where Self: CustomStringConvertible {
    /// Shortest decimal that converts back to the same value; whole numbers have no `.0`.
    var shortText: String {
        let text = description
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}
