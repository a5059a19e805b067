/// Frames per second, as caps count them.
public struct FrameRate: Sendable, Equatable, Comparable {
    public let numerator: Int
    public let denominator: Int

    /// Nil for what is no rate: 0, or less, or what no caps can hold.
    public init?(_ numerator: Int, _ denominator: Int) {
        guard numerator > 0, denominator > 0 else { return nil }
        let divisor = Self.commonDivisor(numerator, denominator)
        var (up, down) = (numerator / divisor, denominator / divisor)
        // Caps hold 31 bits; what does not fit loses its last digits.
        while up > Int(Int32.max) || down > Int(Int32.max) { (up, down) = (max(1, up / 2), max(1, down / 2)) }
        self.numerator = up
        self.denominator = down
    }

    /// Less than any stream has.
    public static let lowest = FrameRate(whole: 1, in: Int(Int32.max))

    private init(whole numerator: Int, in denominator: Int) {
        self.numerator = numerator
        self.denominator = denominator
    }

    public var perSecond: Double { Double(numerator) / Double(denominator) }

    /// So much of the rate, in whole frames per second (or thousands in 1001 seconds): encoders exist that cannot
    /// count in others.
    public func times(_ up: Int, _ down: Int) -> FrameRate {
        let unit = denominator == 1001 ? 1000 : 1
        let divisor = denominator == 1001 ? 1001 : 1
        // Below 2^31 both, and `up` and `down` are small.
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

/// What frames are like: their size and how many there are.
public struct Picture: Sendable, Equatable {
    public var width: Int
    public var height: Int
    /// Nil when frames come whenever they like.
    public var rate: FrameRate?
    public var isInterlaced: Bool

    public init(width: Int, height: Int, rate: FrameRate?, isInterlaced: Bool = false) {
        self.width = width
        self.height = height
        self.rate = rate
        self.isInterlaced = isInterlaced
    }

    var shortSide: Int { min(width, height) }
    var longSide: Int { max(width, height) }

    /// How much there is to encode; 30 frames are taken for a rate nobody knows.
    public var pixelsPerSecond: Double { Double(width) * Double(height) * (rate?.perSecond ?? 30) }
}
