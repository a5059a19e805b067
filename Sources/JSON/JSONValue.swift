/// A JSON value (RFC 8259).
public enum JSONValue: Equatable, Sendable {
    /// Null.
    case null
    /// True or false.
    case bool(Bool)
    /// A number with its original digits.
    case number(JSONNumber)
    /// A text.
    case string(String)
    /// An array of values.
    case array([JSONValue])
    /// An object: names with their values.
    case object(JSONObject)
}
