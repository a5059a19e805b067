/// A value of a preset: presets are flat, so the content of objects and arrays does not matter.
enum PresetValue: Equatable {
    case null
    case bool(Bool)
    /// Both readings of the same digits: to round `double` once more is not always the nearest `single`.
    case number(double: Double, single: Float)
    case string(String)
    /// A number that no `Double` holds, such as `1e999`.
    case unreadable
    /// An object or an array, whatever is in it.
    case nested
}

extension PresetValue: CustomStringConvertible {
    /// The value as a message quotes it.
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
    /// The shortest digits that read back the same; whole numbers without `.0`.
    var shortText: String {
        let text = description
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}
