/// Decides how many steps less quality to request while alerts about speed stand.
///
/// A step is requested when an alert stands, and another each 5 s while the short window still misses the target. One
/// step less is requested 10 s after the last alert is cleared, and each 10 s from then on. Each step is a reason of its
/// own, renewed every second and valid for 15 s, so that requests end by themselves if the monitor does. A request that
/// is sent again after its end lowers `thermalcaps` by one more step, so the 15 s exceed the time for which a slow disk
/// usually blocks the monitor. The caller passes the time.
///
/// A request may itself lower the rate, because fewer frames are one way to do less. An alert about a rate therefore
/// requests its first step only if nothing was requested in the last 5 min, because elements upstream restore the rate
/// slowly, and if the short window contains no time at which `thermalcaps` reduced the quality, as it also does for heat.
/// It requests further steps as long as each raises the rate by more than 10 %. After a step that does not, the alert is
/// ignored until it is cleared, or until the rate falls by 10 % after a step was taken back, as it does if that step
/// helped. The fall is measured from the lowest rate before, because a higher one may have been noise, and a lower one
/// the effect of a step of another alert.
///
/// An alert whose values are not current, as in a pause, keeps the steps; it requests no other one, and its rate is not
/// judged. If other frames pass meanwhile, as after EOS of one of two streams, it is ignored after 10 s of that.
///
/// The requests are sent from the element of the first alert whose values are current, and from then on from the same
/// element as long as an alert of it counts. Otherwise they would end in one `thermalcaps` and lower another one whenever
/// an alert becomes worse than the other.
public struct VoteLadder: Sendable {
    /// A request to be sent upstream from an element.
    public struct Vote: Sendable, Equatable {
        /// Name of the element from which it is sent; `pipeline` for all sinks.
        public let element: String
        /// Reason of the request: the name of the monitor with `:performance`, then `:performance-2` and so on.
        public let reason: String
        /// Time after which it ends unless it is renewed.
        public let duration: Duration
    }

    /// Most steps that are requested.
    static let limit = 8
    /// Factor by which a step raises a rate if it helps.
    static let rateGain = 1.1
    /// Factor by which a rate falls, after a step was taken back, before an ignored alert counts again.
    static let rateLoss = 0.9
    /// Time until the stream has followed a step; the short window of the alert is added.
    static let reaction = Duration.seconds(2)
    /// Time after the last request in which elements upstream restore the rate.
    static let recovery = Duration.seconds(300)
    /// Shortest time between two requests for a further step.
    static let stepDown = Duration.seconds(5)
    /// Time without an alert after which a step is taken back.
    static let stepUp = Duration.seconds(10)
    /// Duration of a request in an event; the request is renewed while the alert stands.
    static let duration = Duration.seconds(15)
    /// Time in which other frames pass, and after which an alert without current values is ignored.
    static let patience = Duration.seconds(10)

    /// An alert without current values.
    private struct Idle: Sendable {
        let element: String
        let metric: Metric
        let target: Double
        /// For how long other frames have passed.
        var time: Duration

        func isAbout(_ alert: Alert) -> Bool {
            element == alert.element && metric == alert.metric && target == alert.target
        }
    }

    /// Effect of the steps on a rate whose alert stands.
    private enum RateTrial: Sendable {
        /// The rate, in frames per second, at the last step that the alert requested.
        case steppedAt(Double)
        /// The lowest rate from a step that did not raise it to the first release; the alert is ignored.
        case futile(Double)
    }

    private let monitor: String
    private var steps = 0
    private var changed: Duration?
    /// Whether the last change of `steps` was a step, and not a release.
    private var isAfterStep = false
    /// Time since which no alert about speed stands.
    private var calmSince: Duration?
    private var element = Target.pipeline
    /// Trials by the names of elements.
    private var trials: [String: RateTrial] = [:]
    private var idle: [Idle] = []
    private var lastTick: Duration?
    /// Time of the last tick at which the quality was reduced.
    private var reducedAt: Duration?

    /// Creates a ladder without requests.
    ///
    /// `monitor` is the name of the monitor. The reasons contain it, because two monitors may send requests to one
    /// element, and a request whose reason is known there is no further step.
    public init(monitor: String) { self.monitor = monitor }

    /// Ends all requests at `now`, as when votes are disabled.
    ///
    /// Alerts that stand afterwards begin with a first step. One about a rate waits before that, because the requests may
    /// have lowered the rate.
    public mutating func reset(now: Duration) {
        var new = Self(monitor: monitor)
        new.changed = steps > 0 ? now : changed
        new.reducedAt = reducedAt
        self = new
    }

    /// Takes the alerts that stand at `now`, and returns the requests to send.
    ///
    /// Alerts about memory and energy do not count: fewer frames save neither at once.
    public mutating func tick(
        _ alerts: [Alert], in condition: StreamCondition = StreamCondition(), now: Duration
    ) -> [Vote] {
        noteIdle(alerts, condition, now: now)
        if condition.isReduced { reducedAt = now }
        judgeRates(alerts.filter { $0.metric == .rate }, now: now)
        let speed = alerts.filter { alert in
            !alert.metric.isOfProcess && idleTime(of: alert) <= Self.patience
                && (alert.metric != .rate || isHeeded(alert, now: now))
        }
        if let first = speed.first {
            let current = speed.filter(\.isCurrent)
            let sender = steps > 0 ? speed.first { $0.element == element } : nil
            element = (sender ?? current.first ?? first).element
            calmSince = nil
            let sinceStep = changed.map { now - $0 } ?? .zero
            let isDue = current.contains { $0.isStillExceeded && sinceStep >= $0.timeToFollow }
            if steps < Self.limit, (steps == 0 && !current.isEmpty) || isDue {
                steps += 1
                (changed, isAfterStep) = (now, true)
                for alert in current where alert.metric == .rate { trials[alert.element] = .steppedAt(alert.recent) }
            }
        } else if steps > 0 {
            let calm = calmSince ?? now
            calmSince = calm
            if now - max(calm, changed ?? calm) >= Self.stepUp {
                steps -= 1
                (changed, isAfterStep) = (now, false)
            }
        }
        return (0..<steps).map { step in
            Vote(
                element: element, reason: "\(monitor):performance" + (step == 0 ? "" : "-\(step + 1)"),
                duration: Self.duration)
        }
    }

    /// Measures for how long alerts have had no current values while the stream flows.
    private mutating func noteIdle(_ alerts: [Alert], _ condition: StreamCondition, now: Duration) {
        let passed = condition.isFlowing ? max(now - (lastTick ?? now), .zero) : .zero
        lastTick = now
        idle = alerts.filter { !$0.isCurrent }.map { alert in
            Idle(element: alert.element, metric: alert.metric, target: alert.target, time: idleTime(of: alert) + passed)
        }
    }

    private func idleTime(of alert: Alert) -> Duration { idle.first { $0.isAbout(alert) }?.time ?? .zero }

    /// Whether an alert about a rate counts.
    private func isHeeded(_ alert: Alert, now: Duration) -> Bool {
        switch trials[alert.element] {
        case .steppedAt: true
        case .futile: false
        case nil:
            steps == 0 && alert.isStillExceeded && Self.hasPassed(Self.recovery, since: changed, now)
                && Self.hasPassed(alert.timeToFollow, since: reducedAt, now)
        }
    }

    private static func hasPassed(_ time: Duration, since start: Duration?, _ now: Duration) -> Bool {
        start.map { now - $0 >= time } ?? true
    }

    /// Judges what the steps did for the rates whose alerts stand, and forgets the other ones.
    private mutating func judgeRates(_ alerts: [Alert], now: Duration) {
        trials = trials.filter { trial in alerts.contains { $0.element == trial.key } }
        guard let changed else { return }
        for alert in alerts where alert.isCurrent && now - changed >= alert.timeToFollow {
            switch trials[alert.element] {
            case .steppedAt(let rate) where alert.isStillExceeded && alert.recent <= rate * Self.rateGain:
                trials[alert.element] = .futile(alert.recent)
            // The step of another alert may have lowered the rate. A rise may be noise.
            case .futile(let rate) where isAfterStep:
                trials[alert.element] = .futile(min(rate, alert.recent))
            case .futile(let rate) where alert.recent < rate * Self.rateLoss:
                trials[alert.element] = .steppedAt(alert.recent)
            default: break
            }
        }
    }
}

extension Alert {
    /// Time from a step to the next one; a rate must have had the time to show in the short window.
    fileprivate var timeToFollow: Duration {
        metric == .rate ? max(VoteLadder.stepDown, window / 12 + VoteLadder.reaction) : VoteLadder.stepDown
    }

    /// Whether the short window, too, misses the target; it knows a recovery first.
    var isStillExceeded: Bool { metric.isMinimum ? recent < target : recent > target }
}
