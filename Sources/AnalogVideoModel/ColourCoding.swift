/// Matrix, range and chroma siting of a Y'CbCr picture.
public struct ColourCoding: Sendable, Equatable {
    /// Weight Kr of red in luma; the weight of green is 1 - Kr - Kb.
    public var redWeight: Double
    /// Weight Kb of blue in luma.
    public var blueWeight: Double
    /// Whether codes have full range instead of limited range (16 to 235 for 8-bit luma).
    public var isFullRange = false
    /// Whether a horizontally subsampled chroma sample is sited on the left of its two columns, not between them.
    public var isCositedHorizontally = false
    /// Whether a vertically subsampled chroma sample is sited on the upper of its two rows, not between them.
    public var isCositedVertically = false

    /// ITU-R BT.601, limited range.
    public static let bt601 = ColourCoding(redWeight: 0.299, blueWeight: 0.114)
}
