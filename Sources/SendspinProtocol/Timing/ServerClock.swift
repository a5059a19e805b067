import Durations

/// Estimates the clock of one server with a schedule of exchanges and a filter.
///
/// The clock has converged after 3 bursts if the standard deviation of the filter is at most 0.25 ms. After 10 bursts,
/// it has converged in any case, because the player is silent until then. The interval between later bursts is a
/// quarter of the time since the first one, clamped to 0.5 s to 10 s.
public struct ServerClock: Sendable {
    /// Effect of a reply.
    public enum Change: Sendable, Equatable {
        /// The estimate is the same.
        case none
        /// The estimate has changed without a step of the server clock.
        case updated(ClockEstimate)
        /// The server clock was set, the server has restarted, or a machine was suspended; earlier server times are
        /// invalid.
        case stepped(ClockEstimate)
        /// The server times cannot come from a clock, because they contradict the previous ones too often.
        case erratic
    }

    /// Largest standard deviation of the offset of a converged clock.
    static let convergedDeviation = Duration.microseconds(250)
    /// Minimum number of bursts of a converged clock.
    static let convergedCount = 3
    /// Number of bursts after which the clock counts as converged, regardless of its deviation.
    static let sufficientCount = 10
    /// Minimum interval between bursts of a converged clock.
    static let leastConvergedInterval = Duration.milliseconds(500)
    /// Minimum size of a step that is counted; the time of some systems has a resolution of 16 ms.
    static let leastCountedStep = Duration.milliseconds(20)
    /// Permitted mean interval between counted steps; `maxSteps` of them may occur at once.
    ///
    /// A time service that slews the server's clock by 8 % causes about two steps per second.
    static let stepInterval = Duration.seconds(3)
    static let maxSteps = 20

    /// Filter that receives the best exchange of each burst.
    private(set) var filter = TimeFilter()
    private(set) var schedule: ExchangeSchedule
    private var detector = StepDetector()
    private var startedAt: Duration
    /// Time until which the counted steps exceed their permitted mean rate.
    private var stepsUntil = Duration.zero

    /// Creates a clock; the first burst starts at `now`.
    public init(now: Duration) {
        schedule = ExchangeSchedule(now: now)
        startedAt = now
    }

    /// The estimate; nil before the end of the first burst.
    public var estimate: ClockEstimate? { filter.estimate }

    /// Whether the estimate is precise enough to play; false for some 100 ms after a step.
    public var isConverged: Bool {
        guard let estimate, filter.count >= Self.convergedCount else { return false }
        return estimate.uncertainty <= Self.convergedDeviation || filter.count >= Self.sufficientCount
    }

    /// Time at which `advance` must be called next.
    public var deadline: Duration { schedule.deadline }

    /// Whether a request waits for its reply, whose time of arrival must be exact.
    var isExchanging: Bool { schedule.pending != nil }

    /// Returns the time of a `client/time` request to send now, and the change by a burst whose last reply was lost.
    ///
    /// Call this method at `deadline`; earlier calls are permitted.
    public mutating func advance(to now: Duration) -> (request: Duration?, change: Change) {
        let (request, best) = schedule.advance(to: now)
        guard let best else { return (request, .none) }
        let change = use(best, at: now)
        return (schedule.advance(to: now).request, change)
    }

    /// Handles a reply; late, unexpected and contradictory replies are ignored.
    public mutating func replyArrived(_ exchange: TimeExchange) -> Change {
        switch schedule.replyArrived(exchange) {
        case .none: break
        case .best(let best): return use(best, at: exchange.arrived)
        case .probe(let probe):
            if detector.contradicts(probe, filter) { schedule.expedite(to: probe.arrived) }
        }
        return .none
    }

    /// Continues on a new connection with the same server; starts a burst, and drops the pending request.
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

extension ServerClock {
    /// Schedule of the time exchanges: bursts, and probes between them.
    ///
    /// A burst has 8 exchanges. Each starts when the previous one has a reply or has timed out. Only the exchange with
    /// the smallest error is used. A probe is a single exchange that detects a step of the server clock.
    struct ExchangeSchedule: Sendable {
        enum Outcome: Sendable, Equatable {
            /// The reply is unexpected or not plausible, or the burst continues.
            case none
            /// The exchange with the smallest error of a complete burst.
            case best(TimeExchange)
            /// An exchange between bursts.
            case probe(TimeExchange)
        }

        /// Number of exchanges of a burst that the Sendspin time filter recommends.
        static let burstLength = 8
        /// Time after which a request counts as lost.
        static let timeout = Duration.seconds(1)
        /// Interval between bursts while the clock converges.
        static let shortestInterval = Duration.milliseconds(100)
        /// Interval between bursts that the Sendspin time filter recommends.
        static let longestInterval = Duration.seconds(10)
        /// Interval between probes.
        static let probeInterval = Duration.seconds(2)

        private var remaining = 0
        private(set) var pending: Duration?
        private var best: TimeExchange?
        private var burstAt = Duration.zero
        private var probeAt = Duration.zero
        /// Number of requests without a reply in time.
        private(set) var lostCount = 0

        /// The first burst starts at `now`.
        init(now: Duration) {
            burstAt = now
            probeAt = now
        }

        /// Time at which `advance` must be called next.
        var deadline: Duration {
            if let pending { return pending + Self.timeout }
            if remaining > 0 { return burstAt }
            return min(burstAt, probeAt)
        }

        /// Starts the next burst at `time` or earlier.
        mutating func expedite(to time: Duration) { burstAt = min(burstAt, time) }

        /// Drops the pending request and the burst of a closed connection, and starts a burst at `time`.
        mutating func restart(at time: Duration) { (pending, remaining, best, burstAt) = (nil, 0, nil, time) }

        /// Starts the next burst at `time`.
        mutating func plan(burstAt time: Duration) { burstAt = time }

        /// Returns the time of a request to send now, and the best exchange of a burst whose last reply was lost.
        mutating func advance(to now: Duration) -> (request: Duration?, best: TimeExchange?) {
            if let sent = pending {
                guard now >= sent + Self.timeout else { return (nil, nil) }
                pending = nil
                lostCount += 1
                if let best = takeBest(at: now) { return (nil, best) }
            }
            guard now >= deadline else { return (nil, nil) }
            if remaining == 0, now >= burstAt { remaining = Self.burstLength }
            // The time is rounded to the protocol's microseconds, because the reply must repeat it exactly.
            let request = now.wholeMicroseconds
            pending = request
            probeAt = now + Self.probeInterval
            return (request, nil)
        }

        mutating func replyArrived(_ exchange: TimeExchange) -> Outcome {
            guard let sent = pending, sent == exchange.sent else { return .none }
            pending = nil
            guard remaining > 0 else { return exchange.isPlausible ? .probe(exchange) : .none }
            if exchange.isPlausible, best.map({ exchange.error < $0.error }) ?? true { best = exchange }
            return takeBest(at: exchange.arrived).map { .best($0) } ?? .none
        }

        /// Ends an exchange of a burst; after the last one, returns the best exchange.
        private mutating func takeBest(at now: Duration) -> TimeExchange? {
            guard remaining > 0 else { return nil }
            remaining -= 1
            // After a burst without a usable reply, `plan` is not called, and the next burst starts after `timeout`.
            burstAt = remaining > 0 ? now : now + Self.timeout
            guard remaining == 0 else { return nil }
            defer { best = nil }
            return best
        }
    }
}

/// Detects steps of the server clock from exchanges that contradict the estimate.
///
/// The filter by itself takes minutes to follow a step, because it forgets only by a factor of 4 per burst. One
/// contradictory exchange is not sufficient: the next one must agree with it.
private struct StepDetector: Sendable {
    enum Judgement {
        case consistent
        /// The exchange must not be used; the next exchange decides whether the clock was set.
        case suspicious
        /// The clock was set; `first` is the previous exchange if it agrees with this one.
        case stepped(first: TimeExchange?)
    }

    /// Minimum residual of a step in microseconds; the filter follows smaller ones.
    static let leastResidual = 500.0
    /// Minimum residual of a step relative to the largest error of the exchange.
    static let residualPerError = 3.0
    /// Minimum residual of a step relative to the standard deviation of the prediction.
    static let residualPerDeviation = 4.0
    /// Number of contradictory exchanges after which the estimate is dropped, even if they do not agree.
    static let maxSuspicions = 4

    private var suspicion: TimeExchange?
    private var suspicionCount = 0
    private var bounds: OffsetBounds?

    /// Whether `exchange` differs from the estimate by more than its error and the uncertainty of the estimate explain.
    func contradicts(_ exchange: TimeExchange, _ filter: ServerClock.TimeFilter) -> Bool {
        if bounds?.exclude(exchange) ?? false { return true }
        guard let residual = filter.residual(of: exchange) else { return false }
        return residual.value.magnitude
            > max(
                Self.leastResidual, Self.residualPerError * exchange.error.inMicroseconds,
                Self.residualPerDeviation * residual.deviation)
    }

    mutating func judge(_ exchange: TimeExchange, _ filter: ServerClock.TimeFilter) -> Judgement {
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

    /// Whether two offsets differ by at most their errors and the largest drift.
    private static func agree(_ a: TimeExchange, _ b: TimeExchange) -> Bool {
        let passed = (b.arrived - a.arrived).inMicroseconds
        let difference = (b.offset - a.offset).inMicroseconds.magnitude
        return difference <= (a.error + b.error).inMicroseconds + passed * ClockEstimate.maxDrift
    }
}

/// Bounds of the offset from all exchanges since the last step, valid for any network delay.
///
/// The true offset differs from that of an exchange by at most its error, and clock rates differ by at most `maxDrift`.
/// Exchanges only narrow the bounds, so a server cannot move the estimate in many small steps.
private struct OffsetBounds: Sendable {
    /// Tolerance for the rounding of server times.
    static let tolerance = Duration.microseconds(500)

    private var lowest: Duration
    private var highest: Duration
    private var at: Duration

    init(_ exchange: TimeExchange) {
        (lowest, highest) = (exchange.offset - exchange.error, exchange.offset + exchange.error)
        at = exchange.arrived
    }

    /// Whether `exchange` is outside the bounds.
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
