/// The most that a stream may be.
///
/// Sides are long and short, not width and height, so that a picture on its side is treated as one that stands.
public struct QualityLimits: Sendable, Equatable {
    public var longSide: Int?
    public var shortSide: Int?
    public var rate: FrameRate?
    /// The share of the encoder's bitrate: 1 is what the user set.
    public var bitrateShare = 1.0

    public init(longSide: Int? = nil, shortSide: Int? = nil, rate: FrameRate? = nil, bitrateShare: Double = 1) {
        self.longSide = longSide
        self.shortSide = shortSide
        self.rate = rate
        self.bitrateShare = bitrateShare
    }

    /// What these limits and `others` both allow; the bitrate is of these.
    public func within(_ others: QualityLimits) -> QualityLimits {
        func least<Value: Comparable>(_ one: Value?, _ other: Value?) -> Value? {
            [one, other].compactMap { $0 }.min()
        }
        return QualityLimits(
            longSide: least(longSide, others.longSide), shortSide: least(shortSide, others.shortSide),
            rate: least(rate, others.rate), bitrateShare: bitrateShare)
    }

    /// `picture` made to fit: its aspect kept, its sides even (four rows at a time when they are interlaced), never
    /// enlarged.
    public func fit(_ picture: Picture) -> Picture {
        var fitted = picture
        if let limit = rate { fitted.rate = picture.rate.map { min($0, limit) } ?? limit }
        guard picture.width > 0, picture.height > 0 else { return fitted }
        var (up, down) = (1, 1)
        for (side, limit) in [(picture.longSide, longSide), (picture.shortSide, shortSide)] {
            guard let limit, limit > 0, limit < side, limit * down < side * up else { continue }
            (up, down) = (limit, side)
        }
        guard up < down else { return fitted }
        fitted.width = Self.scaled(picture.width, up, down, step: 2)
        fitted.height = Self.scaled(picture.height, up, down, step: picture.isInterlaced ? 4 : 2)
        return fitted
    }

    /// The multiple of `step` nearest to `side * up / down`, but not above `side`.
    private static func scaled(_ side: Int, _ up: Int, _ down: Int, step: Int) -> Int {
        let nearest = ((side * up) + (down * step / 2)) / (down * step) * step
        return min(side, max(nearest, step))
    }
}
