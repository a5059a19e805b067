import Durations

/// Clock of a server as it is seen over the network: the schedule of the exchanges and the filter, for one session.
///
/// The clock has converged when the filter has used 3 bursts and its standard deviation is at most 0.25 ms. On a network
/// on which it remains higher, 10 bursts are enough: waiting longer would keep the player silent. Later bursts are
/// separated by a quarter of the time since the first one, at least 0.5 s and at most 10 s.
public struct ServerClock: Sendable {
    /// Effect of a reply.
    public enum Change: Sendable, Equatable {
        /// The estimate is the same.
        case none
        /// The estimate is more precise, or follows the clock.
        case updated(ClockEstimate)
        /// The server clock was set, the server restarted, or one of the machines was suspended.
        ///
        /// Times of the server that were received before do not relate to this estimate.
        case stepped(ClockEstimate)
        /// The times are not those of a clock: each one contradicts those before.
        case erratic
    }

    /// Deviation of the offset below which the clock has converged.
    static let convergedDeviation = Duration.microseconds(250)
    /// Number of exchanges from which the clock can have converged.
    static let convergedCount = 3
    /// Number of exchanges after which the clock counts as converged, whatever its deviation.
    static let sufficientCount = 10
    /// Shortest interval of exchanges of a converged clock.
    static let leastConvergedInterval = Duration.milliseconds(500)
    /// Size from which a step counts; times of some systems have a resolution of 16 ms.
    static let leastCountedStep = Duration.milliseconds(20)
    /// Interval of counted steps that a clock may have, and the number of them that it may have at once.
    ///
    /// A time service that corrects its machine by 8 % causes about two in a second.
    static let stepInterval = Duration.seconds(3)
    static let maxSteps = 20

    /// The filter, which uses the best exchange of each burst.
    public private(set) var filter = TimeFilter()
    /// The schedule of the exchanges.
    public private(set) var schedule: ExchangeSchedule
    private var detector = StepDetector()
    private var startedAt: Duration
    /// Time until which the counted steps have taken their intervals.
    private var stepsUntil = Duration.zero

    /// The first burst starts at `now`.
    public init(now: Duration) {
        schedule = ExchangeSchedule(now: now)
        startedAt = now
    }

    /// The estimate; nil before the first burst is complete.
    public var estimate: ClockEstimate? { filter.estimate }

    /// Whether the estimate is good enough to play.
    ///
    /// False again for some tenths of a second after a step.
    public var isConverged: Bool {
        guard let estimate, filter.count >= Self.convergedCount else { return false }
        return estimate.uncertainty <= Self.convergedDeviation || filter.count >= Self.sufficientCount
    }

    /// Time at which `advance` must be called next.
    public var deadline: Duration { schedule.deadline }

    /// Returns the time that `client/time` must carry, if a request must be sent at `now`, and the change of the
    /// estimate by a burst whose last reply was lost.
    ///
    /// Calls of any frequency are permitted; the next one is required at `deadline`.
    public mutating func advance(to now: Duration) -> (request: Duration?, change: Change) {
        let (request, best) = schedule.advance(to: now)
        guard let best else { return (request, .none) }
        let change = use(best, at: now)
        return (schedule.advance(to: now).request, change)
    }

    /// Takes a reply.
    ///
    /// A reply that is late, unexpected or contradictory is ignored.
    public mutating func replyArrived(_ exchange: TimeExchange) -> Change {
        switch schedule.replyArrived(exchange) {
        case .none: break
        case .best(let best): return use(best, at: exchange.arrived)
        case .probe(let probe):
            if detector.contradicts(probe, filter) { schedule.expedite(to: probe.arrived) }
        }
        return .none
    }

    /// Continues on a new connection with the same server: a burst starts at once.
    ///
    /// A request of the connection before is not answered.
    public mutating func reconnected(at now: Duration) { schedule.restart(at: now) }

    private mutating func use(_ exchange: TimeExchange, at now: Duration) -> Change {
        var before: ClockEstimate?
        switch detector.judge(exchange, filter) {
        case .consistent: filter.add(exchange)
        case .suspicious:
            schedule.plan(burstAt: now + ExchangeSchedule.shortestInterval)
            return .none
        case .stepped(let first):
            before = estimate
            filter = TimeFilter()
            if let first { filter.add(first) }
            filter.add(exchange)
            startedAt = now
        }
        schedule.plan(burstAt: now + interval(at: now))
        guard let estimate else { return .none }
        guard let before else { return .updated(estimate) }
        let step = estimate.serverTime(at: now) - before.serverTime(at: now)
        if max(step, .zero - step) >= Self.leastCountedStep { stepsUntil = max(stepsUntil, now) + Self.stepInterval }
        return stepsUntil > now + Self.stepInterval * Self.maxSteps ? .erratic : .stepped(estimate)
    }

    private func interval(at now: Duration) -> Duration {
        guard isConverged else { return ExchangeSchedule.shortestInterval }
        return min(max((now - startedAt) / 4, Self.leastConvergedInterval), ExchangeSchedule.longestInterval)
    }
}

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
    static let burstLength = 8
    /// Time after which a reply counts as lost.
    public static let timeout = Duration.seconds(1)
    /// Interval between bursts while the clock converges.
    public static let shortestInterval = Duration.milliseconds(100)
    /// Interval between bursts that the Sendspin time filter recommends.
    public static let longestInterval = Duration.seconds(10)
    /// Interval between probes.
    static let probeInterval = Duration.seconds(2)

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

    /// Starts the next burst at `time` unless it starts before.
    mutating func expedite(to time: Duration) { burstAt = min(burstAt, time) }

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

/// Detects that the server clock was set, from exchanges that the estimate cannot explain.
///
/// The filter alone needs minutes to follow a step: it forgets only by a factor of 4 per burst. One exchange is no proof,
/// so the next one must agree with it.
struct StepDetector: Sendable {
    enum Judgement {
        case consistent
        /// The exchange must not be used, and the next one decides.
        case suspicious
        /// The clock was set before the exchange, which agrees with `first`.
        case stepped(first: TimeExchange?)
    }

    /// Lowest residual of a step in microseconds; the filter follows less on its own.
    static let leastResidual = 500.0
    /// Lowest residual of a step, as a multiple of the highest error of the exchange.
    static let residualPerError = 3.0
    /// Lowest residual of a step, as a multiple of the standard deviation of the prediction.
    static let residualPerDeviation = 4.0
    /// Number of contradictory exchanges that do not agree with each other after which the estimate is dropped.
    static let maxSuspicions = 4

    private var suspicion: TimeExchange?
    private var suspicionCount = 0
    private var bounds: OffsetBounds?

    /// Whether the difference of `exchange` to the estimate is explained neither by the network nor by the estimate.
    func contradicts(_ exchange: TimeExchange, _ filter: TimeFilter) -> Bool {
        if bounds?.exclude(exchange) ?? false { return true }
        guard let residual = filter.residual(of: exchange) else { return false }
        return residual.value.magnitude
            > max(
                Self.leastResidual, Self.residualPerError * exchange.error.inMicroseconds,
                Self.residualPerDeviation * residual.deviation)
    }

    mutating func judge(_ exchange: TimeExchange, _ filter: TimeFilter) -> Judgement {
        guard contradicts(exchange, filter) else {
            suspicion = nil
            suspicionCount = 0
            if bounds?.narrow(by: exchange) == nil { bounds = OffsetBounds(exchange) }
            return .consistent
        }
        suspicionCount += 1
        let previous = suspicion
        suspicion = exchange
        let agreeing = previous.flatMap { Self.agree($0, exchange) ? $0 : nil }
        guard agreeing != nil || suspicionCount >= Self.maxSuspicions else { return .suspicious }
        suspicion = nil
        suspicionCount = 0
        bounds = OffsetBounds(agreeing ?? exchange)
        bounds?.narrow(by: exchange)
        return .stepped(first: agreeing)
    }

    /// Whether the offsets of two exchanges differ by no more than their errors and the highest drift.
    private static func agree(_ a: TimeExchange, _ b: TimeExchange) -> Bool {
        let passed = (b.arrived - a.arrived).inMicroseconds
        let difference = (b.offset - a.offset).inMicroseconds.magnitude
        return difference <= (a.error + b.error).inMicroseconds + passed * ClockEstimate.maxDrift
    }
}

/// Offsets that the exchanges since the last step permit, whatever the network does.
///
/// An exchange proves that the offset differs from its own by at most its error, and the rates of real clocks differ by at
/// most `maxDrift`. The bounds only become narrower otherwise, so a server cannot move the estimate by many small changes.
struct OffsetBounds: Sendable {
    /// Rounding of the times of a server.
    static let tolerance = Duration.microseconds(500)

    private var lowest: Duration
    private var highest: Duration
    private var at: Duration

    init(_ exchange: TimeExchange) {
        (lowest, highest) = (exchange.offset - exchange.error, exchange.offset + exchange.error)
        at = exchange.arrived
    }

    /// Whether no clock at the bounds can be that of `exchange`.
    func exclude(_ exchange: TimeExchange) -> Bool {
        let slack = drift(until: exchange.arrived) + Self.tolerance
        return exchange.offset + exchange.error < lowest - slack || exchange.offset - exchange.error > highest + slack
    }

    mutating func narrow(by exchange: TimeExchange) {
        let drift = drift(until: exchange.arrived)
        lowest = max(lowest - drift, exchange.offset - exchange.error)
        highest = min(highest + drift, exchange.offset + exchange.error)
        at = exchange.arrived
    }

    private func drift(until time: Duration) -> Duration {
        Duration(microseconds: max(time - at, .zero).inMicroseconds * ClockEstimate.maxDrift)
    }
}
