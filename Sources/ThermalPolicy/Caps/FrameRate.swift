/// Frames per second, as a fraction of 31-bit numbers.
public struct FrameRate: Sendable, Equatable, Comparable {
    /// Number of frames in `denominator` seconds.
    public let numerator: Int
    /// Number of seconds with `numerator` frames.
    public let denominator: Int

    /// Creates the reduced fraction; nil if a number is not positive.
    public init?(_ numerator: Int, _ denominator: Int) {
        guard numerator > 0, denominator > 0 else { return nil }
        let divisor = Self.commonDivisor(numerator, denominator)
        var (up, down) = (numerator / divisor, denominator / divisor)
        // Caps have 31-bit numbers, so larger numbers are halved, which loses precision.
        while up > Int(Int32.max) || down > Int(Int32.max) { (up, down) = (max(1, up / 2), max(1, down / 2)) }
        self.numerator = up
        self.denominator = down
    }

    /// The lowest rate that caps can express.
    public static let lowest = FrameRate(1, Int(Int32.max))!

    /// The rate as a number.
    public var perSecond: Double { Double(numerator) / Double(denominator) }

    /// Share `up / down` of the rate, as a whole number of frames in 1 or 1.001 s, because some encoders require it.
    public func times(_ up: Int, _ down: Int) -> FrameRate {
        let unit = denominator == 1001 ? 1000 : 1
        let divisor = denominator == 1001 ? 1001 : 1
        // The products cannot overflow, because both numbers are below 2^31, and `up` and `down` are small.
        let whole = numerator * up * divisor / (down * denominator * unit)
        return FrameRate(max(1, whole) * unit, divisor).map { min($0, self) } ?? self
    }

    public static func < (one: Self, other: Self) -> Bool {
        one.numerator * other.denominator < other.numerator * one.denominator
    }

    private static func commonDivisor(_ one: Int, _ other: Int) -> Int {
        var (a, b) = (one, other)
        while b != 0 { (a, b) = (b, a % b) }
        return max(a, 1)
    }
}
