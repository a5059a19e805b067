import JSON

/// Reads the fields of an object; a fault contains the path of its field.
///
/// Unknown fields are ignored. A field that is null counts as absent, because legacy servers send null for fields
/// without a value.
struct FieldReader {
    private let object: JSONObject
    private let path: String

    /// `path` is empty for the payload of a message.
    init(_ value: JSONValue, path: String = "") throws(WireFault) {
        guard case .object(let object) = value else { throw .wrongType(field: path, expected: "an object") }
        self.object = object
        self.path = path
    }

    private func name(of field: String) -> String { path.isEmpty ? field : "\(path).\(field)" }

    private func value(_ field: String) -> JSONValue? {
        guard let value = object[field], value != .null else { return nil }
        return value
    }

    private func required<Value>(_ field: String, _ value: Value?) throws(WireFault) -> Value {
        guard let value else { throw .missing(field: name(of: field)) }
        return value
    }

    /// Whether the object has the field, even if its value is null.
    func has(_ field: String) -> Bool { object[field] != nil }
}

// MARK: - Strings and Booleans

extension FieldReader {
    func optionalString(_ field: String) throws(WireFault) -> String? {
        switch value(field) {
        case nil: nil
        case .string(let text): text
        default: throw .wrongType(field: name(of: field), expected: "a string")
        }
    }

    func string(_ field: String) throws(WireFault) -> String { try required(field, optionalString(field)) }

    /// Reads a text for display.
    func optionalText(_ field: String) throws(WireFault) -> String? {
        try optionalString(field).map { PeerText.make($0) }
    }

    func optionalBool(_ field: String) throws(WireFault) -> Bool? {
        switch value(field) {
        case nil: nil
        case .bool(let flag): flag
        default: throw .wrongType(field: name(of: field), expected: "a Boolean")
        }
    }

    func bool(_ field: String) throws(WireFault) -> Bool { try required(field, optionalBool(field)) }

    func choice<Value: RawRepresentable<String>>(_ field: String) throws(WireFault) -> Value {
        let text = try string(field)
        guard let value = Value(rawValue: text) else { throw .unknownValue(field: name(of: field), value: text) }
        return value
    }

    /// Like `choice`, but nil for an absent field or an unknown value.
    func knownChoice<Value: RawRepresentable<String>>(_ field: String) throws(WireFault) -> Value? {
        try optionalString(field).flatMap { Value(rawValue: $0) }
    }
}

// MARK: - Numbers

extension FieldReader {
    func optionalInteger(_ field: String, in range: ClosedRange<Int64>) throws(WireFault) -> Int64? {
        guard let value = value(field) else { return nil }
        guard case .number(let number) = value else {
            throw .wrongType(field: name(of: field), expected: "an integer")
        }
        guard let integer = number.integer, range.contains(integer) else {
            throw .outOfRange(field: name(of: field), value: number.text)
        }
        return integer
    }

    func integer(_ field: String, in range: ClosedRange<Int64>) throws(WireFault) -> Int64 {
        try required(field, optionalInteger(field, in: range))
    }

    /// Reads a time in microseconds.
    func time(_ field: String) throws(WireFault) -> Duration {
        Duration(wireMicroseconds: try integer(field, in: .min ... .max))
    }

    /// Reads a time in milliseconds.
    func optionalMilliseconds(_ field: String, in range: ClosedRange<Int64>) throws(WireFault) -> Duration? {
        try optionalInteger(field, in: range).map { .milliseconds($0) }
    }
}

// MARK: - Objects and arrays

extension FieldReader {
    func optionalObject(_ field: String) throws(WireFault) -> FieldReader? {
        guard let value = value(field) else { return nil }
        return try FieldReader(value, path: name(of: field))
    }

    func optionalArray(_ field: String) throws(WireFault) -> [JSONValue]? {
        switch value(field) {
        case nil: nil
        case .array(let elements): elements
        default: throw .wrongType(field: name(of: field), expected: "an array")
        }
    }

    func optionalStrings(_ field: String) throws(WireFault) -> [String]? {
        guard let elements = try optionalArray(field) else { return nil }
        var strings: [String] = []
        for element in elements {
            guard case .string(let text) = element else {
                throw .wrongType(field: name(of: field), expected: "an array of strings")
            }
            strings.append(text)
        }
        return strings
    }

    func strings(_ field: String) throws(WireFault) -> [String] { try required(field, optionalStrings(field)) }

    /// Reads red, green and blue, each from 0 to 255, as 0xRRGGBB.
    func optionalColour(_ field: String) throws(WireFault) -> UInt32? {
        guard let elements = try optionalArray(field) else { return nil }
        let parts = elements.compactMap { element -> UInt32? in
            guard case .number(let number) = element, let part = number.integer else { return nil }
            return UInt8(exactly: part).map { UInt32($0) }
        }
        guard elements.count == 3, parts.count == 3 else {
            throw .wrongType(field: name(of: field), expected: "three numbers from 0 to 255")
        }
        return parts.reduce(0) { ($0 << 8) | $1 }
    }

    func optionalObjects(_ field: String, limit: Int) throws(WireFault) -> [FieldReader]? {
        guard let elements = try optionalArray(field) else { return nil }
        guard elements.count <= limit else {
            throw .outOfRange(field: name(of: field), value: "\(elements.count) elements")
        }
        var objects: [FieldReader] = []
        for (index, element) in elements.enumerated() {
            objects.append(try FieldReader(element, path: "\(name(of: field))[\(index)]"))
        }
        return objects
    }
}
