import GStreamer
import ThermalPolicy

/// What the stream is, and what it is to become.
///
/// The deciding thread sets limits; the streaming thread asks what they mean for the frames at hand.
struct StreamPlan {
    /// What the deciding thread wants.
    struct Order: Equatable {
        var limits = QualityLimits()
        /// The caps must stay what they are.
        var capsStay = false
        /// Others get the same frames, so that the source must not change.
        var isShared = false
        /// There is something before that counts in pixels, so that the source must keep its size.
        var isCut = false
    }

    /// What the source sends when nothing is asked of it.
    private(set) var reference: Picture?
    /// What it sends now.
    private var present: Picture?
    /// Whether that comes field by field.
    private(set) var isFields = false
    /// Whether what comes can be scaled here.
    private(set) var isScalable = true
    private(set) var order = Order()
    /// What the caps were held down to when they began to stay what they are.
    private var held: QualityLimits?
    private(set) var wish: StreamWish?
    /// What was wished for lately: an answer may still be under way.
    private var wishes: [StreamWish] = []
    private static let mostWishes = 8
    private var pacer: FramePacer?
    /// What leaves.
    private var output: Picture?
    /// When the source was asked for something else that it has not sent yet.
    private var askedAt: Duration?
    /// A source that has not answered by then will not.
    private static let patience = Duration.seconds(1)

    /// Takes a new order; false when it is the old one.
    mutating func take(_ order: Order) -> Bool {
        guard order != self.order else { return false }
        held = order.capsStay ? held ?? self.order.limits : nil
        self.order = order
        output = nil
        return true
    }

    /// What becomes of the stream: what has been agreed on, or else what is to be, as long as the source may still
    /// answer.
    func made(at now: Duration) -> Picture? {
        let isAwaited = askedAt.map { now - $0 < Self.patience } ?? false
        return (isAwaited ? nil : output) ?? reference.map(limits.fit)
    }

    /// What holds for the stream, with what its caps are held to.
    var limits: QualityLimits { held.map(order.limits.within) ?? order.limits }

    mutating func reset() { self = StreamPlan() }

    // MARK: The streaming thread

    /// What follows from new caps.
    struct CapsNews {
        /// The source sends something else of its own accord.
        var isOther = false
        /// It is to be asked for less.
        var mustAsk = false
        /// Frames take another time to make, which a live source counts as latency.
        var isOtherRate = false
    }

    mutating func note(_ input: StreamPicture) -> CapsNews {
        let picture = Picture(input)
        // What was agreed on before is over, and nothing has been since.
        (askedAt, output) = (nil, nil)
        defer { present = picture }
        var news = CapsNews()
        news.isOtherRate = present.map { $0.rate != picture.rate } ?? false
        if picture == reference {
            // It is back, as it was asked to be: what was wished for before is over.
            if let asked = wish, asked == StreamWish(picture) { (wish, wishes) = (nil, []) }
            return news
        }
        guard reference == nil || !wishes.contains(where: { $0.isMet(by: input) }) else { return news }
        reference = picture
        (isFields, isScalable) = (input.isFields, input.isScalable)
        news.isOther = true
        news.mustAsk = limits.fit(picture) != picture
        return news
    }

    func shapes(for input: StreamPicture) -> [StreamPicture] {
        guard !input.isFields else { return [input] }
        let fitted = (held ?? order.limits).fit(Picture(input))
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
    mutating func agreed(_ input: StreamPicture, _ output: StreamPicture) -> Bool {
        let picture = Picture(input)
        pacer = nil
        defer {
            var made = Picture(output)
            if pacer != nil, let rate = limits.rate { made.rate = rate }
            self.output = made
        }
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

    /// Chooses what to ask of a source that offers this; true when it does not send that already.
    mutating func choose(from offers: [SourceOffer], now: StreamPicture, at time: Duration) -> Bool {
        guard let reference, !order.capsStay, !order.isShared else { return false }
        var target = limits.fit(reference)
        if order.isCut { (target.width, target.height) = (reference.width, reference.height) }
        let wanted = SourceOffer.cheapest(offers, target: target, full: reference) ?? reference
        let present = Picture(now)
        guard (wanted.width, wanted.height) != (present.width, present.height) || wanted.rate != present.rate else {
            return false
        }
        askedAt = time
        let wish = StreamWish(wanted)
        self.wish = wish
        wishes = wishes.suffix(Self.mostWishes - 1).filter { $0 != wish } + [wish]
        return true
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

extension StreamWish {
    init(_ picture: Picture) {
        self.init(
            size: StreamSize(Int32(clamping: picture.width), Int32(clamping: picture.height)),
            rate: picture.rate.map(StreamRate.init))
    }
}

extension SourceOffer {
    init(_ offer: StreamOffer) {
        func sides(_ sides: StreamOffer.Sides) -> Sides {
            Sides(Int(sides.range.lowerBound)...Int(sides.range.upperBound), step: Int(sides.step))
        }
        self.init(
            widths: offer.widths.map(sides), heights: offer.heights.map(sides),
            rates: offer.rates.compactMap { rates in
                // A range that begins at none at all begins just above.
                guard let most = FrameRate(Int(rates.most.numerator), Int(rates.most.denominator)) else { return nil }
                let least = FrameRate(Int(rates.least.numerator), Int(rates.least.denominator))
                return min(least ?? FrameRate.lowest, most)...most
            })
    }
}

extension StreamWish.StreamRate {
    init(_ rate: FrameRate) { self.init(Int32(clamping: rate.numerator), Int32(clamping: rate.denominator)) }
}
