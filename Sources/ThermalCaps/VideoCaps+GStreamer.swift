import GStreamer
import ThermalPolicy

extension VideoCaps {
    /// Reads fixed caps; nil without a fixed width and height.
    init?(_ caps: Caps) {
        guard case .int(let width) = caps.value("width"), case .int(let height) = caps.value("height"), width > 0,
            height > 0
        else { return nil }
        var rate: FrameRate?
        if case .fraction(let fraction) = caps.value("framerate") { rate = FrameRate(fraction) }
        var mode: String?
        if case .string(let text) = caps.value("interlace-mode") { mode = text }
        let isFields = mode == "alternate"
        self.init(
            width: Int(width), height: Int(height), rate: rate, isInterlaced: mode != nil && mode != "progressive",
            isFields: isFields, isScalable: caps.isInSystemMemory() && !isFields)
    }

    /// Returns `caps`, whose size is that of `old`, with the size and the rate of this value.
    ///
    /// With `hasSquarePixels`, a new size gets the pixel aspect ratio 1/1 if `caps` have none, because a scaler would
    /// otherwise select a ratio that is nearly square.
    func applied(to caps: Caps, of old: VideoCaps, hasSquarePixels: Bool = false) -> Caps {
        var new = caps
        if hasSquarePixels, (width, height) != (old.width, old.height), caps.value("pixel-aspect-ratio") == nil {
            new = new.setting("pixel-aspect-ratio", to: .fraction(.init(1, 1)))
        }
        return new.settingSizeAndRate(of: self)
    }

    /// Caps for a request: this size and rate, in any memory.
    var request: Caps? { Caps("video/x-raw(ANY)")?.settingSizeAndRate(of: self) }
}

extension Caps {
    fileprivate func settingSizeAndRate(of video: VideoCaps) -> Caps {
        let new = setting("width", to: .int(Int32(clamping: video.width)))
            .setting("height", to: .int(Int32(clamping: video.height)))
        guard let rate = video.rate else { return new }
        return new.setting(
            "framerate", to: .fraction(.init(Int32(clamping: rate.numerator), Int32(clamping: rate.denominator))))
    }

    /// Returns the caps with any width up to `width` and any height up to `height`.
    func allowingSides(upTo width: Int, _ height: Int) -> Caps {
        setting("width", to: .intRange(1...Int32(clamping: max(2, width))))
            .setting("height", to: .intRange(1...Int32(clamping: max(2, height))))
    }

    /// Returns the caps with the pixel aspect ratio that preserves the display aspect ratio of `other`.
    ///
    /// Width and height are even integers, so a smaller size rarely has the same aspect ratio: 854x480 is not 16:9. A
    /// scaler logs a warning at each such size. The input caps of the scaler can contain the difference, because no
    /// other element reads them. The output caps keep the pixel aspect ratio of the source.
    func withAspectRatio(of other: Caps) -> Caps {
        guard let from = VideoCaps(self), let to = VideoCaps(other), (from.width, from.height) != (to.width, to.height)
        else { return self }
        var pixel = Structure.Fraction(1, 1)
        if case .fraction(let ratio) = other.value("pixel-aspect-ratio") { pixel = ratio }
        let sides = Structure.Fraction(Int32(to.width), Int32(to.height))
            .times(.init(Int32(from.height), Int32(from.width)))
        // If the ratio exceeds 31-bit numbers, the caps are unchanged, and the scaler may log its warning.
        guard let ratio = sides.flatMap(pixel.times), ratio.numerator > 0, ratio.denominator > 0 else { return self }
        return setting("pixel-aspect-ratio", to: .fraction(ratio))
    }
}

extension FrameRate {
    init?(_ fraction: Structure.Fraction) { self.init(Int(fraction.numerator), Int(fraction.denominator)) }
}

extension CapsRange {
    /// Alternatives of `caps` in the same memory as `current`.
    static func all(in caps: Caps, like current: Caps) -> [CapsRange] {
        guard !caps.isAny else { return [] }
        return caps.indices.compactMap { index in
            guard caps.mediaType(at: index) == "video/x-raw", caps.hasFeatures(of: current, at: index) else {
                return nil
            }
            func values(_ field: String) -> [Structure.Value] { caps.value(field, at: index)?.alternatives ?? [] }
            return CapsRange(
                widths: values("width").compactMap { $0.sides }, heights: values("height").compactMap { $0.sides },
                rates: values("framerate").compactMap { $0.rates })
        }
    }
}

extension Structure.Value {
    /// The value as a range of sides; nil if it is not an integer.
    var sides: CapsRange.Sides? {
        switch self {
        case .int(let side): CapsRange.Sides(Int(side)...Int(side))
        case .intRange(let range, let step):
            CapsRange.Sides(Int(range.lowerBound)...Int(range.upperBound), step: Int(step))
        default: nil
        }
    }

    /// The value as a range of rates; nil if it is not a rate above 0.
    var rates: ClosedRange<FrameRate>? {
        switch self {
        case .fraction(let rate): FrameRate(rate).map { $0...$0 }
        case .fractionRange(let least, let most):
            // A lower bound of zero becomes the lowest rate above zero.
            FrameRate(most).map { min(FrameRate(least) ?? .lowest, $0)...$0 }
        default: nil
        }
    }
}
