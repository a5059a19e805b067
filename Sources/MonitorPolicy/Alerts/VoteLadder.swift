/// Decides how many steps of lower quality to request while alerts about speed are active.
///
/// The first step is requested when an alert is raised. While the short window misses the target, another step follows
/// every 5 s, or every 7 s for a rate with the default window. One step is withdrawn 10 s after the last alert is
/// cleared, and another one every 10 s. The request of each step has its own reason, is sent again every second and
/// expires after 15 s, so requests end if the monitor stops. A slow disk rarely blocks the monitor for that long. A
/// request that is sent again after it expired lowers `thermalcaps` by one more step.
///
/// A request may lower the rate, because a lower framerate is one way to reduce the load. An alert about a rate
/// therefore requests its first step only if no step changed in the last 5 min, because elements upstream restore the
/// rate slowly. In the short window, `thermalcaps` must also not have reduced the quality, as it does for heat. Further
/// steps are requested while each of them raises the rate by more than 10 %. If a step does not, the alert is ignored.
/// It counts again after it is cleared. It also counts again if the rate falls by 10 % after a step was withdrawn,
/// because that step then helped. The fall is measured from the lowest rate, because a higher rate may be noise, and a
/// lower rate may be the effect of a step of another alert.
///
/// An alert without current values, as in a pause, keeps its steps, but requests no further step. Its rate is not
/// judged. The alert is ignored after other frames have passed for 10 s, as after EOS of one of two streams.
///
/// Requests are sent from the element of the first alert with current values, and from the same element as long as one
/// of its alerts counts. If the element changed, requests would expire in one `thermalcaps`, and begin in another one.
public struct VoteLadder: Sendable {
    /// A request to be sent upstream from an element.
    public struct Vote: Sendable, Equatable {
        /// Name of the element from which the request is sent; `pipeline` for all sinks.
        public let element: String
        /// Reason of the request: the name of the monitor with `:performance`, then `:performance-2` and so on.
        public let reason: String
    }

    /// State of the stream at a tick.
    public struct Condition: Sendable, Equatable {
        /// Whether a frame passed any element since the last tick; false while paused.
        public var isFlowing = true
        /// Whether a `thermalcaps` in the pipeline reduces the quality, because of heat or of a request.
        public var isReduced = false

        /// Creates the condition of a stream that flows at full quality.
        public init() {}
    }

    /// Highest number of steps.
    static let limit = 8
    /// Smallest factor by which a step that helps raises a rate.
    static let rateGain = 1.1
    /// Factor by which a rate falls, after a step is withdrawn, before an ignored alert counts again.
    static let rateLoss = 0.9
    /// Time until the stream follows a step, in addition to the short window of the alert.
    static let reaction = Duration.seconds(2)
    /// Time for which elements upstream may restore the rate after the last change of the steps.
    static let recovery = Duration.seconds(300)
    /// Shortest time between two requests for a further step.
    static let stepDown = Duration.seconds(5)
    /// Time without an alert after which a step is withdrawn.
    static let stepUp = Duration.seconds(10)
    /// Time after which a request expires unless it is renewed.
    public static let duration = Duration.seconds(15)
    /// Time for which other frames pass before an alert without current values is ignored.
    static let patience = Duration.seconds(10)

    private struct Idle: Sendable {
        let element: String
        let metric: Metric
        let target: Double
        var time: Duration

        func isAbout(_ alert: Alert) -> Bool {
            element == alert.element && metric == alert.metric && target == alert.target
        }
    }

    private enum RateTrial: Sendable {
        /// Rate, in frames per second, at the last step that the alert requested.
        case steppedAt(Double)
        /// The alert is ignored after a futile step; the value is the lowest rate until a step is withdrawn.
        case futile(Double)
    }

    private let monitor: String
    private var steps = 0
    private var changed: Duration?
    /// Whether the last change of `steps` was an increase.
    private var isAfterStep = false
    /// Time since which no alert about speed is active.
    private var calmSince: Duration?
    private var element = Target.pipeline
    private var trials: [String: RateTrial] = [:]
    private var idle: [Idle] = []
    private var lastTick: Duration?
    private var reducedAt: Duration?

    /// Creates a ladder without requests.
    ///
    /// Each reason contains `monitor`, the name of the monitor. Two monitors may send requests to one element, which
    /// treats a request with a known reason as a renewal, not as a further step.
    public init(monitor: String) { self.monitor = monitor }

    /// Ends all requests at `now`, as when votes are disabled.
    ///
    /// Active alerts begin with a first step again. An alert about a rate first waits 5 min, because the ended requests
    /// may have lowered the rate.
    public mutating func reset(now: Duration) {
        var new = Self(monitor: monitor)
        new.changed = steps > 0 ? now : changed
        new.reducedAt = reducedAt
        self = new
    }

    /// Returns the requests to send for the active alerts at `now`.
    ///
    /// Alerts about memory and energy do not count, because fewer frames do not reduce memory or energy at once.
    public mutating func tick(
        _ alerts: [Alert], in condition: Condition = Condition(), now: Duration
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
            Vote(element: element, reason: "\(monitor):performance" + (step == 0 ? "" : "-\(step + 1)"))
        }
    }

    /// Measures for how long alerts have had no current values while the stream flows.
    private mutating func noteIdle(_ alerts: [Alert], _ condition: Condition, now: Duration) {
        let passed = condition.isFlowing ? max(now - (lastTick ?? now), .zero) : .zero
        lastTick = now
        idle = alerts.filter { !$0.isCurrent }.map { alert in
            Idle(element: alert.element, metric: alert.metric, target: alert.target, time: idleTime(of: alert) + passed)
        }
    }

    private func idleTime(of alert: Alert) -> Duration { idle.first { $0.isAbout(alert) }?.time ?? .zero }

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

    /// Judges the effect of the steps on rates with active alerts, and discards the trials of other rates.
    private mutating func judgeRates(_ alerts: [Alert], now: Duration) {
        trials = trials.filter { trial in alerts.contains { $0.element == trial.key } }
        guard let changed else { return }
        for alert in alerts where alert.isCurrent && now - changed >= alert.timeToFollow {
            switch trials[alert.element] {
            case .steppedAt(let rate) where alert.isStillExceeded && alert.recent <= rate * Self.rateGain:
                trials[alert.element] = .futile(alert.recent)
            // Keeps the lowest rate, because a step of another alert may have lowered it, and a rise may be noise.
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
    /// Shortest time between two steps; the effect on a rate appears only after a whole short window.
    fileprivate var timeToFollow: Duration {
        metric == .rate ? max(VoteLadder.stepDown, window / 12 + VoteLadder.reaction) : VoteLadder.stepDown
    }

    /// Whether the short window also misses the target; it shows a recovery earlier than the long window.
    var isStillExceeded: Bool { metric.isMinimum ? recent < target : recent > target }
}
