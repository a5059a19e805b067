import JSON

/// Payload of the first message of the handshake: the key that the server proposes.
public struct KeyReference: Equatable, Sendable {
    /// Identifier of the key.
    public var keyID: String
    /// Category as which the server uses it: `lt`, `pr` or `sn`.
    public var category: String

    /// A reference of its parts.
    public init(keyID: String, category: String) {
        self.keyID = keyID
        self.category = category
    }

    /// Parses the payload.
    public init(parsing value: JSONValue) throws(WireFault) {
        let reader = try FieldReader(value)
        keyID = try reader.string("psk_id")
        category = try reader.string("psk_category")
    }

    /// The payload as JSON.
    public var json: JSONValue { .object(["psk_id": .string(keyID), "psk_category": .string(category)]) }
}
