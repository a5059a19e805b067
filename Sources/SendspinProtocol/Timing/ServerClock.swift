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

    static let convergedDeviation = Duration.microseconds(250)
    static let convergedCount = 3
    static let sufficientCount = 10
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
