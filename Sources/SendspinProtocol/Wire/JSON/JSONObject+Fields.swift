import JSON

extension JSONObject {
    /// Appends a field unless its value is nil; the client never sends null.
    mutating func add(_ name: String, _ value: String?) {
        if let value { append(name, .string(value)) }
    }

    mutating func add(_ name: String, _ value: Bool?) {
        if let value { append(name, .bool(value)) }
    }

    mutating func add(_ name: String, _ value: (some FixedWidthInteger)?) {
        if let value { append(name, .number(JSONNumber(value))) }
    }

    mutating func add(_ name: String, _ value: [String]?) {
        if let value { append(name, .array(value.map { .string($0) })) }
    }

    mutating func add(_ name: String, _ value: JSONObject?) {
        if let value { append(name, .object(value)) }
    }

    mutating func add(_ name: String, _ value: [JSONObject]?) {
        if let value { append(name, .array(value.map { .object($0) })) }
    }

    mutating func add(_ name: String, microseconds time: Duration?) {
        add(name, time?.wireMicroseconds)
    }

    /// Appends a time, rounded to milliseconds.
    mutating func add(_ name: String, milliseconds time: Duration?) {
        guard let microseconds = time?.wireMicroseconds else { return }
        let half: Int64 = microseconds < 0 ? -500 : 500
        add(name, microseconds.addingReportingOverflow(half).partialValue / 1000)
    }
}
