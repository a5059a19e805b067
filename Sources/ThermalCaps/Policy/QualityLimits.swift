/// The most that a stream may be.
///
/// What a policy limits are the long and the short side, so that a picture that stands is treated as one that lies. Who
/// writes caps names columns and rows, and gets no more of them, whichever way the picture stands.
public struct QualityLimits: Sendable, Equatable {
    public var width: Int?
    public var height: Int?
    public var longSide: Int?
    public var shortSide: Int?
    public var rate: FrameRate?
    /// The share of the encoder's bitrate: 1 is what the user set.
    public var bitrateShare = 1.0
    /// A person has written the share, so the encoder gets just that; else it gets less for fewer pixels.
    public var isShareExact = false

    /// Smaller in either way is refused by `x265enc`, `openh264enc` and `mpeg2enc`, as measured on 1.22.
    public static let leastSide = 16

    public init(
        width: Int? = nil, height: Int? = nil, longSide: Int? = nil, shortSide: Int? = nil, rate: FrameRate? = nil,
        bitrateShare: Double = 1, isShareExact: Bool = false
    ) {
        self.width = width
        self.height = height
        self.longSide = longSide
        self.shortSide = shortSide
        self.rate = rate
        self.bitrateShare = bitrateShare
        self.isShareExact = isShareExact
    }

    /// What these limits and `others` both allow; the bitrate is of these.
    public func within(_ others: QualityLimits) -> QualityLimits {
        func least<Value: Comparable>(_ one: Value?, _ other: Value?) -> Value? {
            [one, other].compactMap { $0 }.min()
        }
        return QualityLimits(
            width: least(width, others.width), height: least(height, others.height),
            longSide: least(longSide, others.longSide), shortSide: least(shortSide, others.shortSide),
            rate: least(rate, others.rate), bitrateShare: bitrateShare, isShareExact: isShareExact)
    }

    /// The same, but for sizes: there are none.
    public var ofAnySize: QualityLimits {
        QualityLimits(rate: rate, bitrateShare: bitrateShare, isShareExact: isShareExact)
    }

    /// The same, but for the rate: there is none.
    public var ofAnyRate: QualityLimits {
        QualityLimits(
            width: width, height: height, longSide: longSide, shortSide: shortSide, bitrateShare: bitrateShare,
            isShareExact: isShareExact)
    }

    /// The same, but no less of `picture` than `rules` allow.
    public func raised(to rules: LadderRules, for picture: Picture) -> QualityLimits {
        var raised = withRaisedSides(to: rules, for: picture)
        if let rate, let least = rules.minimumRate { raised.rate = max(rate, min(least, picture.rate ?? least)) }
        return raised
    }

    func withRaisedSides(to rules: LadderRules, for picture: Picture) -> QualityLimits {
        let least = rules.leastShortSide(of: picture)
        guard fit(picture).shortSide < min(least, picture.shortSide) else { return self }
        var raised = ofAnySize
        raised.shortSide = least
        return raised
    }

    /// `picture` made to fit: its aspect kept, its sides even (four rows at a time when they are interlaced), never
    /// enlarged.
    public func fit(_ picture: Picture) -> Picture {
        var fitted = picture
        if let limit = rate { fitted.rate = picture.rate.map { min($0, limit) } ?? limit }
        guard picture.width > 0, picture.height > 0 else { return fitted }
        var (up, down) = (1, 1)
        for (side, limit) in [
            (picture.width, width), (picture.height, height), (picture.longSide, longSide),
            (picture.shortSide, shortSide),
        ] {
            guard let limit, limit > 0, limit < side, limit * down < side * up else { continue }
            (up, down) = (limit, side)
        }
        guard up < down else { return fitted }
        fitted.width = Self.scaled(picture.width, up, down, step: 2, most: width)
        fitted.height = Self.scaled(picture.height, up, down, step: picture.isInterlaced ? 4 : 2, most: height)
        return fitted
    }

    /// The multiple of `step` nearest to `side * up / down`, but not above `side` or `most`.
    private static func scaled(_ side: Int, _ up: Int, _ down: Int, step: Int, most: Int?) -> Int {
        var nearest = ((side * up) + (down * step / 2)) / (down * step) * step
        if let most, nearest > most { nearest -= step }
        return min(side, max(nearest, step))
    }
}
