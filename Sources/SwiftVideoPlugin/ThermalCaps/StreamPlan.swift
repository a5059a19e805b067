import GStreamer
import StreamControl

/// What the stream is, and what it is to become.
///
/// The deciding thread sets limits; the streaming thread asks what they mean for the frames at hand.
struct StreamPlan {
    /// What the source sends when nothing is asked of it.
    private(set) var reference: Picture?
    /// Whether that comes field by field.
    private(set) var isFields = false
    private(set) var limits = QualityLimits()
    /// The caps must stay what they are.
    private(set) var capsStay = false
    private(set) var wishes: [StreamWish] = []
    /// What was wished for before: an answer may still be under way.
    private var olderWishes: [StreamWish] = []
    private(set) var caps = ""
    private var pacer: FramePacer?

    /// Takes new limits; false when they are the old ones.
    mutating func take(_ limits: QualityLimits, capsStay: Bool) -> Bool {
        guard limits != self.limits || capsStay != self.capsStay else { return false }
        self.limits = limits
        self.capsStay = capsStay
        olderWishes = wishes
        wishes = makeWishes()
        return true
    }

    mutating func reset() { self = StreamPlan() }

    // MARK: The streaming thread

    mutating func shapes(for input: StreamPicture, isNew: Bool) -> [StreamPicture] {
        if isNew, reference == nil || !(wishes + olderWishes).contains(where: { $0.isMet(by: input) }) {
            reference = Picture(input)
            isFields = input.isFields
            wishes = makeWishes()
        }
        guard !capsStay, !input.isFields else { return [input] }
        let fitted = limits.fit(Picture(input))
        var (smaller, slower) = (input, input)
        if input.isScalable {
            (smaller.width, smaller.height) = (Int32(clamping: fitted.width), Int32(clamping: fitted.height))
        }
        if input.rateNumerator > 0, let rate = fitted.rate {
            slower.rateNumerator = Int32(clamping: rate.numerator)
            slower.rateDenominator = Int32(clamping: rate.denominator)
        }
        var both = smaller
        (both.rateNumerator, both.rateDenominator) = (slower.rateNumerator, slower.rateDenominator)
        var shapes: [StreamPicture] = []
        for shape in [both, smaller, slower, input] where !shapes.contains(shape) { shapes.append(shape) }
        return shapes
    }

    /// The caps are agreed; whether frames must be dropped.
    mutating func agreed(_ input: StreamPicture, caps: String) -> Bool {
        self.caps = caps
        let picture = Picture(input)
        pacer = nil
        if let rate = limits.rate, !input.isFields, picture.rate.map({ rate < $0 }) ?? true {
            pacer = FramePacer(rate, of: picture.rate)
        }
        return pacer != nil
    }

    mutating func verdict(onFrameAt time: UInt64?) -> FrameVerdict {
        guard pacer != nil else { return .pass }
        return pacer!.keeps(frameAt: time) ? .stretch(pacer!.frameDuration) : .drop
    }

    mutating func timeRestarted() { pacer?.reset() }

    // MARK: Upstream

    private func makeWishes() -> [StreamWish] {
        guard !capsStay, let reference else { return [] }
        let target = limits.fit(reference)
        let (full, small) = (StreamWish.StreamSize(reference), StreamWish.StreamSize(target))
        let (fast, slow) = (reference.rate.map(StreamWish.StreamRate.init), target.rate.map(StreamWish.StreamRate.init))
        let isSmaller = full != small
        let isSlower = fast != nil && fast != slow
        switch (isSmaller, isSlower) {
        case (false, false): return []
        case (false, true): return [StreamWish(size: full, rate: slow)]
        case (true, false): return [StreamWish(size: small, rate: fast), StreamWish(size: small)]
        case (true, true):
            return [
                StreamWish(size: small, rate: slow), StreamWish(size: small, rate: fast), StreamWish(size: small),
                StreamWish(size: full, rate: slow),
            ]
        }
    }
}

extension Picture {
    init(_ picture: StreamPicture) {
        self.init(
            width: Int(picture.width), height: Int(picture.height),
            rate: FrameRate(Int(picture.rateNumerator), Int(picture.rateDenominator)),
            isInterlaced: picture.isInterlaced)
    }
}

extension StreamWish.StreamSize {
    init(_ picture: Picture) { self.init(Int32(clamping: picture.width), Int32(clamping: picture.height)) }
}

extension StreamWish.StreamRate {
    init(_ rate: FrameRate) { self.init(Int32(clamping: rate.numerator), Int32(clamping: rate.denominator)) }
}
