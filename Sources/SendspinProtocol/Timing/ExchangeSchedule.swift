import Durations

/// Schedule of the exchanges of the time: bursts, and probes between them.
///
/// A burst is a sequence of 8 exchanges, each sent when the reply of the previous one has arrived. Only the exchange with
/// the smallest error is used. A probe is one exchange that shows whether the server clock has been set.
public struct ExchangeSchedule: Sendable {
    /// Result of a reply.
    public enum Outcome: Sendable, Equatable {
        /// The reply answers no pending request, or the burst continues.
        case none
        /// Exchange with the smallest error of a burst that is complete.
        case best(TimeExchange)
        /// Exchange between bursts.
        case probe(TimeExchange)
    }

    /// Number of exchanges of a burst.
    public static let burstLength = 8
    /// Time after which a reply counts as lost.
    public static let timeout = Duration.seconds(1)
    /// Interval between bursts while the clock converges.
    public static let shortestInterval = Duration.milliseconds(100)
    /// Interval between bursts that the Sendspin time filter recommends.
    public static let longestInterval = Duration.seconds(10)
    /// Interval between probes.
    public static let probeInterval = Duration.seconds(2)

    private var remaining = 0
    private var pending: Duration?
    private var best: TimeExchange?
    private var burstAt = Duration.zero
    private var probeAt = Duration.zero
    /// Number of requests without a reply in time.
    public private(set) var lostCount = 0

    /// The first burst starts at `now`.
    public init(now: Duration) {
        burstAt = now
        probeAt = now
    }

    /// Time at which `advance` must be called next.
    public var deadline: Duration {
        if let pending { return pending + Self.timeout }
        if remaining > 0 { return burstAt }
        return min(burstAt, probeAt)
    }

    /// Whether the last burst is complete and the next one has not started.
    public var isBetweenBursts: Bool { remaining == 0 }

    /// Starts the next burst at `time` unless it starts before.
    public mutating func expedite(to time: Duration) { burstAt = min(burstAt, time) }

    /// Starts a burst at `time` without the pending request and the unfinished burst, whose connection has ended.
    public mutating func restart(at time: Duration) { (pending, remaining, best, burstAt) = (nil, 0, nil, time) }

    /// Starts the next burst at `time`.
    public mutating func plan(burstAt time: Duration) { burstAt = time }

    /// Returns the time that a request must carry if one must be sent at `now`, and the best exchange of a burst whose
    /// last reply was lost.
    public mutating func advance(to now: Duration) -> (request: Duration?, best: TimeExchange?) {
        if let sent = pending {
            guard now >= sent + Self.timeout else { return (nil, nil) }
            pending = nil
            lostCount += 1
            if let best = takeBest(at: now) { return (nil, best) }
        }
        guard now >= deadline else { return (nil, nil) }
        if remaining == 0, now >= burstAt { remaining = Self.burstLength }
        // The protocol counts microseconds, and the reply is recognized by this time.
        let request = now.wholeMicroseconds
        pending = request
        probeAt = now + Self.probeInterval
        return (request, nil)
    }

    /// Takes a reply.
    public mutating func replyArrived(_ exchange: TimeExchange) -> Outcome {
        guard let sent = pending, sent == exchange.sent else { return .none }
        pending = nil
        guard remaining > 0 else { return exchange.isPlausible ? .probe(exchange) : .none }
        if exchange.isPlausible, best.map({ exchange.error < $0.error }) ?? true { best = exchange }
        return takeBest(at: exchange.arrived).map { .best($0) } ?? .none
    }

    /// Ends one exchange of a burst; returns the best one if it was the last.
    private mutating func takeBest(at now: Duration) -> TimeExchange? {
        guard remaining > 0 else { return nil }
        remaining -= 1
        // Until `plan` is called, a burst without a reply is followed by the next one after the time of a reply.
        burstAt = remaining > 0 ? now : now + Self.timeout
        guard remaining == 0 else { return nil }
        defer { best = nil }
        return best
    }
}
