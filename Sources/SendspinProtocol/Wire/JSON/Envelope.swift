import JSON

/// The outer object of every message: `{"type":…,"payload":{…}}`.
enum Envelope {
    /// Returns the type of a message and a reader of its payload; a missing payload counts as empty.
    static func open(_ value: JSONValue) throws(WireFault) -> (type: String, payload: FieldReader) {
        guard case .object(let object) = value, case .string(let type) = object["type"] else { throw .notAMessage }
        switch object["payload"] {
        case nil, .null: return (type, try FieldReader(.object([:])))
        case .some(let payload):
            guard case .object = payload else { throw .wrongType(field: "payload", expected: "an object") }
            return (type, try FieldReader(payload))
        }
    }
}
