/// Decides how many steps less quality to request while alerts about speed stand.
///
/// A step is requested when an alert stands, and another each 5 s while the short window still misses the target. One
/// step less is requested 10 s after the last alert is cleared, and each 10 s from then on. Each step is a reason of its
/// own, renewed every second and valid for 5 s, so that requests end by themselves if the monitor does. The caller passes
/// the time.
///
/// A request may itself lower the rate, because fewer frames are one way to do less. An alert about a rate therefore
/// counts only if it was raised while nothing was requested, and for as long as each step raises the rate; after a step
/// that does not, it is ignored until it is cleared.
public struct VoteLadder: Sendable {
    /// A request to be sent upstream from an element.
    public struct Vote: Sendable, Equatable {
        /// Name of the element whose alert stands; `pipeline` for all sinks.
        public let element: String
        /// Reason of the request: `performance`, then `performance-2` and so on.
        public let reason: String
        /// Time after which it ends unless it is renewed.
        public let duration: Duration
    }

    /// Most steps that are requested.
    static let limit = 8
    /// Factor by which a step raises a rate if it helps.
    static let rateGain = 1.1
    static let stepDown = Duration.seconds(5)
    static let stepUp = Duration.seconds(10)
    static let duration = Duration.seconds(5)

    /// What the steps did for a rate whose alert stands.
    fileprivate enum RateTrial: Sendable {
        /// The rate, in frames per second, at the last step that the alert requested.
        case steppedAt(Double)
        /// Less quality does not raise it.
        case futile
    }

    private var steps = 0
    private var changed: Duration?
    /// Time since which no alert about speed stands.
    private var calmSince: Duration?
    private var element = Target.pipeline
    /// Trials by the names of elements.
    private var trials: [String: RateTrial] = [:]

    /// Creates a ladder without requests.
    public init() {}

    /// Takes the alerts that stand at `now`, and returns the requests to send.
    ///
    /// Alerts about memory and energy do not count: fewer frames save neither at once.
    public mutating func tick(_ alerts: [Alert], now: Duration) -> [Vote] {
        judgeRates(alerts.filter { $0.metric == .rate }, now: now)
        let speed = alerts.filter { alert in
            !alert.metric.isOfProcess && (alert.metric != .rate || trials[alert.element]?.isFutile != true)
        }
        if let alert = speed.first {
            element = alert.element
            calmSince = nil
            let mayStep = changed.map { now - $0 >= Self.stepDown } ?? true
            if steps < Self.limit, steps == 0 || (mayStep && speed.contains(where: \.isStillExceeded)) {
                steps += 1
                changed = now
                for alert in speed where alert.metric == .rate { trials[alert.element] = .steppedAt(alert.recent) }
            }
        } else if steps > 0 {
            let calm = calmSince ?? now
            calmSince = calm
            if now - max(calm, changed ?? calm) >= Self.stepUp {
                steps -= 1
                changed = now
            }
        }
        return (0..<steps).map { step in
            Vote(
                element: element, reason: step == 0 ? "performance" : "performance-\(step + 1)",
                duration: Self.duration)
        }
    }

    /// Decides which alerts about rates are futile, and forgets the cleared ones.
    private mutating func judgeRates(_ alerts: [Alert], now: Duration) {
        trials = trials.filter { trial in alerts.contains { $0.element == trial.key } }
        for alert in alerts {
            switch trials[alert.element] {
            case nil where steps > 0: trials[alert.element] = .futile
            case .steppedAt(let rate)
            where alert.isStillExceeded && alert.recent < rate * Self.rateGain
                && changed.map({ now - $0 >= Self.stepDown }) ?? false:
                trials[alert.element] = .futile
            default: break
            }
        }
    }
}

extension VoteLadder.RateTrial {
    fileprivate var isFutile: Bool { if case .futile = self { true } else { false } }
}

extension Alert {
    /// Whether the short window, too, misses the target; it knows a recovery first.
    var isStillExceeded: Bool { metric.isMinimum ? recent < target : recent > target }
}
