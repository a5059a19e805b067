/// A JSON number, kept as its digits: no conversion changes it, and each reader picks the type it needs.
///
/// Two numbers are equal if they are written the same: `1` and `1.0` are not.
public struct JSONNumber: Equatable, Sendable {
    /// The digits as they stand in the text.
    public let text: String

    /// `text` follows the grammar of RFC 8259, section 6.
    init(validated text: String) { self.text = text }

    public init(_ value: some FixedWidthInteger) { text = value.description }

    /// The shortest digits that read back as the same value; nil for NaN and infinity, which JSON does not have.
    public init?(_ value: Double) {
        guard value.isFinite else { return nil }
        text = value.description
    }

    /// The shortest digits that read back as the same value; nil for NaN and infinity, which JSON does not have.
    public init?(_ value: Float) {
        guard value.isFinite else { return nil }
        text = value.description
    }

    /// The nearest `Double`; nil if the number is beyond its range.
    public var double: Double? { Double(text).flatMap { $0.isFinite ? $0 : nil } }

    /// The nearest `Float`, rounded once; nil if the number is beyond its range.
    public var single: Float? { Float(text).flatMap { $0.isFinite ? $0 : nil } }

    /// The value if it is whole and fits: of `3`, and of `3.0` and `3e2` as far as a `Double` holds them exactly.
    public var integer: Int64? {
        if let value = Int64(text) { return value }
        guard let double, double.magnitude <= Self.largestExactWhole else { return nil }
        return Int64(exactly: double)
    }

    private static let largestExactWhole = Double(1 << 53)
}
