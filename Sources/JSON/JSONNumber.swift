/// A JSON number, stored as its digits without conversion.
///
/// Two numbers are equal if their texts are equal: `1` and `1.0` are not.
public struct JSONNumber: Equatable, Sendable {
    /// The digits as in the JSON text.
    public let text: String

    /// `text` must match the grammar of RFC 8259, section 6.
    init(validated text: String) { self.text = text }

    /// The number with the digits of `value`.
    public init(_ value: some FixedWidthInteger) { text = value.description }

    /// Stores the shortest digits that parse to the same value; nil for NaN and infinity, which JSON does not have.
    public init?(_ value: Double) {
        guard value.isFinite else { return nil }
        text = value.description
    }

    /// Stores the shortest digits that parse to the same value; nil for NaN and infinity, which JSON does not have.
    public init?(_ value: Float) {
        guard value.isFinite else { return nil }
        text = value.description
    }

    /// The nearest `Double`; nil if the number is out of range.
    public var double: Double? { Double(text).flatMap { $0.isFinite ? $0 : nil } }

    /// The nearest `Float`, rounded once from the digits; nil if the number is out of range.
    public var single: Float? { Float(text).flatMap { $0.isFinite ? $0 : nil } }

    /// The value as an integer; nil if it is fractional or out of range.
    ///
    /// Integers without point and exponent convert over the whole range of `Int64`. Other forms, such as `3.0` and
    /// `3e2`, convert up to a magnitude of 2^53.
    public var integer: Int64? {
        if let value = Int64(text) { return value }
        guard let double, double.magnitude <= Self.largestExactWhole else { return nil }
        return Int64(exactly: double)
    }

    private static let largestExactWhole = Double(1 << 53)
}
