/// Upper limits for caps and bitrate.
///
/// A policy limits the long and the short side, so that portrait video is treated like landscape video. Caps written by
/// a user limit width and height.
public struct QualityLimits: Sendable, Equatable {
    /// Largest width in pixels; nil for no limit.
    public var width: Int?
    /// Largest height in pixels; nil for no limit.
    public var height: Int?
    /// Largest longer side in pixels; nil for no limit.
    public var longSide: Int?
    /// Largest shorter side in pixels; nil for no limit.
    public var shortSide: Int?
    /// Highest frame rate; nil for no limit.
    public var rate: FrameRate?
    /// Share of the full bitrate of the encoder.
    public var bitrateShare = 1.0
    /// Whether the user has written the share; if not, fewer pixels reduce the bitrate further.
    public var isShareExact = false

    /// Minimum width and height that `x265enc`, `openh264enc` and `mpeg2enc` accept, as measured with 1.22.
    public static let leastSide = 16

    /// No limit.
    public static let unlimited = QualityLimits()

    /// The stricter of both limits for caps, with the bitrate of `self`.
    public func within(_ others: QualityLimits) -> QualityLimits {
        func least<Value: Comparable>(_ one: Value?, _ other: Value?) -> Value? {
            [one, other].compactMap { $0 }.min()
        }
        return QualityLimits(
            width: least(width, others.width), height: least(height, others.height),
            longSide: least(longSide, others.longSide), shortSide: least(shortSide, others.shortSide),
            rate: least(rate, others.rate), bitrateShare: bitrateShare, isShareExact: isShareExact)
    }

    /// These limits without the limits of the size.
    public var withoutSizeLimits: QualityLimits {
        QualityLimits(rate: rate, bitrateShare: bitrateShare, isShareExact: isShareExact)
    }

    /// These limits, raised to the minimum of `rules` for `caps`.
    public func raised(to rules: LadderRules, for caps: VideoCaps) -> QualityLimits {
        var raised = withRaisedSides(to: rules, for: caps)
        if let rate, let least = rules.minimumRate { raised.rate = max(rate, min(least, caps.rate ?? least)) }
        return raised
    }

    func withRaisedSides(to rules: LadderRules, for caps: VideoCaps) -> QualityLimits {
        let least = rules.leastShortSide(of: caps)
        guard fit(caps).shortSide < min(least, caps.shortSide) else { return self }
        var raised = withoutSizeLimits
        raised.shortSide = least
        return raised
    }

    /// `caps` reduced to the limits, with the same aspect ratio.
    ///
    /// Width and height are even; the height of interlaced video is a multiple of 4.
    public func fit(_ caps: VideoCaps) -> VideoCaps {
        var fitted = caps
        if let limit = rate { fitted.rate = caps.rate.map { min($0, limit) } ?? limit }
        guard caps.width > 0, caps.height > 0 else { return fitted }
        var (up, down) = (1, 1)
        for (side, limit) in [
            (caps.width, width), (caps.height, height), (caps.longSide, longSide),
            (caps.shortSide, shortSide),
        ] {
            guard let limit, limit > 0, limit < side, limit * down < side * up else { continue }
            (up, down) = (limit, side)
        }
        guard up < down else { return fitted }
        fitted.width = Self.scaled(caps.width, up, down, step: 2, most: width)
        fitted.height = Self.scaled(caps.height, up, down, step: caps.isInterlaced ? 4 : 2, most: height)
        return fitted
    }

    /// Multiple of `step` nearest to `side * up / down`, and not above `side` or `most`.
    private static func scaled(_ side: Int, _ up: Int, _ down: Int, step: Int, most: Int?) -> Int {
        var nearest = ((side * up) + (down * step / 2)) / (down * step) * step
        if let most, nearest > most { nearest -= step }
        return min(side, max(nearest, step))
    }
}
