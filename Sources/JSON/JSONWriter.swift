extension JSONValue {
    /// Returns the value as JSON text, with members in order; parsing the text gives an equal value.
    public func text(_ layout: JSONLayout = .compact) -> String {
        var writer = JSONWriter(layout: layout)
        writer.write(self)
        return writer.text
    }

    /// The compact text in UTF-8.
    public var bytes: [UInt8] { Array(text().utf8) }
}

/// Whitespace of the written text.
public enum JSONLayout: Sendable {
    /// No whitespace: `{"a":[1,2]}`.
    case compact
    /// One line per member and element, indented by two spaces per level.
    case pretty
}

private struct JSONWriter {
    let layout: JSONLayout
    private(set) var text = ""
    private var level = 0

    init(layout: JSONLayout) { self.layout = layout }

    mutating func write(_ value: JSONValue) {
        switch value {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .number(let number): text += number.text
        case .string(let string): write(string)
        case .array(let elements):
            text += "["
            for (index, element) in elements.enumerated() {
                beginItem(index)
                write(element)
            }
            endItems(elements.count)
            text += "]"
        case .object(let object):
            text += "{"
            for (index, member) in object.members.enumerated() {
                beginItem(index)
                write(member.name)
                text += layout == .pretty ? ": " : ":"
                write(member.value)
            }
            endItems(object.members.count)
            text += "}"
        }
    }

    private mutating func beginItem(_ index: Int) {
        if index == 0 { level += 1 } else { text += "," }
        beginLine()
    }

    private mutating func endItems(_ count: Int) {
        guard count > 0 else { return }
        level -= 1
        beginLine()
    }

    private mutating func beginLine() {
        guard layout == .pretty else { return }
        text += "\n" + String(repeating: "  ", count: level)
    }

    private mutating func write(_ string: String) {
        text += "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case "\0"..<" ": text += "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}
