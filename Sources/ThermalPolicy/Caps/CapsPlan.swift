/// State of caps negotiation: caps of the source, caps to request from it, and caps of the output.
///
/// The deciding thread sets an order. The streaming thread applies this order to the caps and frames that arrive.
public struct CapsPlan: Sendable {
    /// Limits for the caps, and conditions of the pipeline.
    public struct Order: Sendable, Equatable {
        /// Limits for the caps.
        public var limits = QualityLimits()
        /// Whether the caps must not change, because downstream refuses new caps or the user forbids a change.
        public var capsStay = false
        /// Whether another branch receives the same frames, so that the caps of the source must not change.
        public var mustKeepSource = false
        /// Whether an element upstream uses pixel coordinates, so that the source must keep its size.
        public var mustKeepSize = false

        public init() {}
    }

    /// Caps of the source without a request.
    public private(set) var reference: VideoCaps?
    /// Present caps of the source.
    private var present: VideoCaps?
    /// The order that applies.
    public private(set) var order = Order()
    /// Whether the order is new, so that the streaming thread has not started to apply it.
    private var isOrderNew = false
    /// Limits at the time when `capsStay` became true; nil while it is false.
    private var held: QualityLimits?
    /// Caps requested from upstream; nil for any caps.
    public private(set) var requested: VideoCaps?
    /// The latest requests, kept because caps that answer an earlier request may still arrive.
    private var requests: [VideoCaps] = []
    private static let mostRequests = 8
    private var pacer: FramePacer?
    /// Negotiated caps of the output.
    private var output: VideoCaps?
    /// Time of a request that the source has not answered; nil if there is no such request.
    private var requestedAt: Duration?
    /// Time within which the source answers a request.
    private static let patience = Duration.seconds(1)

    public init() {}

    /// Sets an order; returns false if it is the present one.
    public mutating func take(_ order: Order) -> Bool {
        guard order != self.order else { return false }
        held = order.capsStay ? held ?? self.order.limits : nil
        self.order = order
        (isOrderNew, output) = (true, nil)
        return true
    }

    /// Negotiated caps of the output, or the intended caps until the order is applied and the source has answered.
    public func made(at now: Duration) -> VideoCaps? {
        let isAwaited = isOrderNew || requestedAt.map { now - $0 < Self.patience } ?? false
        return (isAwaited ? nil : output) ?? reference.map(limits.fit)
    }

    /// Limits of the order, made stricter by `held` while the caps must not change.
    var limits: QualityLimits { held.map(order.limits.within) ?? order.limits }

    // MARK: The streaming thread

    /// Consequences of new input caps.
    public struct CapsChange: Sendable, Equatable {
        /// Whether the source has changed its caps without a request.
        public var isOther = false
        /// Whether lower caps must be requested from the source.
        public var mustRequest = false
        /// Whether the frame duration has changed, and with it the latency of a live source.
        public var isOtherRate = false

        public init() {}
    }

    /// New caps of the input arrived.
    public mutating func receive(_ input: VideoCaps) -> CapsChange {
        // The last negotiation no longer applies. Caps that answer an earlier request do not answer the last request.
        output = nil
        if requested?.matches(input) ?? true || !requests.contains(where: { $0.matches(input) }) { requestedAt = nil }
        defer { present = input }
        var change = CapsChange()
        change.isOtherRate = present.map { $0.rate != input.rate } ?? false
        if input == reference {
            // The source has returned to its own caps, as requested, so earlier requests no longer count.
            if let requested, requested.matches(input) { (self.requested, requests) = (nil, []) }
            return change
        }
        guard reference == nil || !requests.contains(where: { $0.matches(input) }) else { return change }
        reference = input
        change.isOther = true
        change.mustRequest = limits.fit(input) != input
        return change
    }

    /// Caps to try for the output, the best first.
    public func candidates(for input: VideoCaps) -> [VideoCaps] {
        guard !input.isFields else { return [input] }
        let fitted = (held ?? order.limits).fit(input)
        var (smaller, slower) = (input, input)
        if input.isScalable { (smaller.width, smaller.height) = (fitted.width, fitted.height) }
        if input.rate != nil { slower.rate = fitted.rate }
        var both = smaller
        both.rate = slower.rate
        var candidates: [VideoCaps] = []
        for caps in [both, smaller, slower, input] where !candidates.contains(caps) { candidates.append(caps) }
        return candidates
    }

    /// Caps were negotiated under `order`; returns whether frames must be dropped.
    public mutating func negotiated(_ input: VideoCaps, _ output: VideoCaps, under order: Order) -> Bool {
        pacer = nil
        var made = output
        if let rate = limits.rate, !input.isFields, input.rate.map({ rate < $0 }) ?? true {
            pacer = FramePacer(rate, of: input.rate)
            made.rate = rate
        }
        // If the order has changed during the negotiation, the result does not belong to the present order.
        self.output = order == self.order ? made : nil
        return pacer != nil
    }

    /// Decides what to do with a frame; `time` is its timestamp, nil if it has none; allocates no memory.
    public mutating func verdict(onFrameAt time: Duration?) -> FramePacer.Verdict {
        guard pacer != nil else { return .pass }
        return pacer!.keeps(frameAt: time) ? .stretch(pacer!.interval) : .drop
    }

    /// Timestamps start again after a flush, or because a new segment begins.
    public mutating func timeRestarted() { pacer?.reset() }

    /// Selects the caps to request from a source that offers `offers` and sends `input`; true if a request is due.
    public mutating func request(from offers: [CapsRange], sending input: VideoCaps, at time: Duration) -> Bool {
        isOrderNew = false
        guard let reference, !order.capsStay, !order.mustKeepSource else { return false }
        var target = limits.fit(reference)
        if order.mustKeepSize { (target.width, target.height) = (reference.width, reference.height) }
        let wanted = CapsRange.cheapest(offers, target: target, full: reference) ?? reference
        let isSent = (wanted.width, wanted.height) == (input.width, input.height) && wanted.rate == input.rate
        // A request is also due if the source may still answer an earlier request with other caps.
        guard !isSent || (requestedAt != nil && requested != wanted) else { return false }
        requestedAt = time
        requested = wanted
        requests = requests.suffix(Self.mostRequests - 1).filter { $0 != wanted } + [wanted]
        return true
    }
}

/// Drops frames to limit the frame rate.
///
/// The decision uses timestamps, so a camera that is already slower, as in the dark, loses no frames. After a
/// gap or a jump the pacer starts again, without compensation for lost frames. Frames without timestamps are counted.
public struct FramePacer: Sendable {
    /// Treatment of one frame.
    public enum Verdict: Sendable, Equatable {
        /// The frame passes.
        case pass
        /// The frame passes with this duration.
        case stretch(Duration)
        /// The frame is dropped.
        case drop
    }

    /// Frames with this timestamp (292 years) or a later one are never dropped.
    private static let latest = Duration.nanoseconds(Int64.max)

    /// Duration of a frame that passes.
    let interval: Duration
    /// Time by which a frame may be early and still pass, because timestamps are rounded and have jitter.
    private let tolerance: Duration
    private let rate: FrameRate
    private let source: FrameRate?
    private var due: Duration?
    private var lastTime: Duration?
    /// Remainder of the ratio of the rates, for frames that are counted; nil before the first such frame.
    private var left: Int?

    /// Creates a pacer that limits a stream of the rate `source` to `rate`; `source` is nil if the rate is unknown.
    public init(_ rate: FrameRate, of source: FrameRate?) {
        self.rate = rate
        self.source = source
        interval = Self.frameDuration(rate)
        let step = source.map { Self.frameDuration($0) } ?? interval
        tolerance = min(step, interval) / 4
    }

    /// Starts again, after a flush or in a new segment.
    public mutating func reset() { self = FramePacer(rate, of: source) }

    /// Whether a frame passes; `time` is its timestamp, or nil if it has none.
    public mutating func keeps(frameAt time: Duration?) -> Bool {
        guard let time else { return keepsByNumber() }
        defer { lastTime = min(time, Self.latest) }
        guard time < Self.latest else {
            due = nil
            return true
        }
        if let lastTime, time < lastTime {
            // In reverse playback no timestamp is ever due, so frames are counted.
            due = nil
            return keepsByNumber()
        }
        guard let due else {
            self.due = time + interval
            return true
        }
        guard time >= due - tolerance else { return false }
        let next = due + interval
        // A frame that is late by one interval or more follows a gap, so the intervals start again from it.
        self.due = next <= time ? time + interval : next
        return true
    }

    private mutating func keepsByNumber() -> Bool {
        guard let source, rate < source else { return true }
        // Of `whole` frames, `part` pass, including the first.
        let part = rate.numerator.multipliedReportingOverflow(by: source.denominator)
        let whole = source.numerator.multipliedReportingOverflow(by: rate.denominator)
        guard !part.overflow, !whole.overflow else { return true }
        let debt = left ?? (whole.partialValue - part.partialValue)
        let (sum, overflows) = debt.addingReportingOverflow(part.partialValue)
        let goesOn = overflows || sum >= whole.partialValue
        left = overflows ? 0 : goesOn ? sum - whole.partialValue : sum
        return goesOn
    }

    private static func frameDuration(_ rate: FrameRate) -> Duration {
        // The duration is in whole nanoseconds, as is the duration of a buffer.
        .nanoseconds(Int64(Double(rate.denominator) * 1_000_000_000 / Double(rate.numerator)))
    }
}
