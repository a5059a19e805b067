/// A value in a preset; presets are flat, so the contents of objects and arrays are not stored.
enum PresetValue: Equatable {
    case null
    case bool(Bool)
    /// Both conversions of the same digits, because rounding `double` again does not always give the nearest `Float`.
    case number(double: Double, single: Float)
    case string(String)
    /// A number outside the range of `Double`, such as `1e999`.
    case unreadable
    case nested
}

extension PresetValue: CustomStringConvertible {
    /// The value as quoted in messages.
    var description: String {
        switch self {
        case .null: "null"
        case .bool(let value): "\(value)"
        case .number(let value, _): value.shortText
        case .string(let value): value.shortened.debugDescription
        case .unreadable: "not a readable number"
        case .nested: "an object or array"
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
