/// A JSON value (RFC 8259).
public enum JSONValue: Equatable, Sendable {
    /// The value null.
    case null
    /// True or false.
    case bool(Bool)
    /// A number with its digits as they were written.
    case number(JSONNumber)
    /// A text.
    case string(String)
    /// Values in their order.
    case array([JSONValue])
    /// Names with values.
    case object(JSONObject)
}
