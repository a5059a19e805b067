/// A JSON number, stored as text; `1` and `1.0` are not equal.
public struct JSONNumber: Equatable, Sendable {
    /// The number as in the JSON text.
    public let text: String

    /// `text` must match the grammar of RFC 8259, section 6.
    init(validated text: String) { self.text = text }

    /// Stores an integer.
    public init(_ value: some FixedWidthInteger) { text = value.description }

    /// Stores the shortest text that parses to the same value; nil for NaN and infinity.
    public init?(_ value: Double) {
        guard value.isFinite else { return nil }
        text = value.description
    }

    /// Stores the shortest text that parses to the same value; nil for NaN and infinity.
    public init?(_ value: Float) {
        guard value.isFinite else { return nil }
        text = value.description
    }

    /// The nearest `Double`; nil if the number is out of range.
    public var double: Double? { Double(text).flatMap { $0.isFinite ? $0 : nil } }

    /// The nearest `Float`, rounded once; nil if the number is out of range.
    public var single: Float? { Float(text).flatMap { $0.isFinite ? $0 : nil } }

    /// The value as an integer; nil if it is fractional or out of range.
    ///
    /// Integers without point and exponent have the range of `Int64`. Other forms, such as `3.0` and `3e2`, have a
    /// magnitude of at most 2^53.
    public var integer: Int64? {
        if let value = Int64(text) { return value }
        guard let double, double.magnitude <= Self.largestExactWhole else { return nil }
        return Int64(exactly: double)
    }

    private static let largestExactWhole = Double(1 << 53)
}
