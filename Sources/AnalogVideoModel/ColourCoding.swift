/// What the numbers of a picture of luma and chroma stand for.
public struct ColourCoding: Sendable, Equatable {
    /// The parts of red and of blue in luma, Kr and Kb; green is the rest.
    public var redWeight: Double
    public var blueWeight: Double
    /// Whether luma uses all numbers, not only those from 16 to 235 (of 8 bit).
    public var isFullRange: Bool
    /// Whether a sample of chroma that stands for two columns lies on the left of them, not in the middle.
    public var isCositedHorizontally: Bool
    /// Whether a sample of chroma that stands for two rows lies on the upper of them, not in the middle.
    public var isCositedVertically: Bool

    public init(
        redWeight: Double, blueWeight: Double, isFullRange: Bool = false, isCositedHorizontally: Bool = false,
        isCositedVertically: Bool = false
    ) {
        self.redWeight = redWeight
        self.blueWeight = blueWeight
        self.isFullRange = isFullRange
        self.isCositedHorizontally = isCositedHorizontally
        self.isCositedVertically = isCositedVertically
    }

    /// ITU-R BT.601, limited range.
    public static let bt601 = ColourCoding(redWeight: 0.299, blueWeight: 0.114)
    /// ITU-R BT.709, limited range.
    public static let bt709 = ColourCoding(redWeight: 0.2126, blueWeight: 0.0722)
    /// ITU-R BT.2020, limited range.
    public static let bt2020 = ColourCoding(redWeight: 0.2627, blueWeight: 0.0593)
}
