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
    /// Values in order.
    case array([JSONValue])
    /// Names with values.
    case object(JSONObject)
}
