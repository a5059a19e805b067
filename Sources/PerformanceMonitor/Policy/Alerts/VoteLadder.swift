/// Decides how many steps less quality to request while alerts about speed stand.
///
/// A step is requested when an alert stands, and another each 5 s while the short window still misses the target. One
/// step less is requested 10 s after the last alert is cleared, and each 10 s from then on. Each step is a reason of its
/// own, renewed every second and valid for 5 s, so that requests end by themselves if the monitor does. The caller passes
/// the time.
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
    static let stepDown = Duration.seconds(5)
    static let stepUp = Duration.seconds(10)
    static let duration = Duration.seconds(5)

    private var steps = 0
    private var changed: Duration?
    /// Time since which no alert about speed stands.
    private var calmSince: Duration?
    private var element = Target.pipeline

    /// Creates a ladder without requests.
    public init() {}

    /// Takes the alerts that stand at `now`, and returns the requests to send.
    ///
    /// Alerts about memory and energy do not count: fewer frames save neither at once.
    public mutating func tick(_ alerts: [Alert], now: Duration) -> [Vote] {
        let speed = alerts.filter { !$0.metric.isOfProcess }
        if let alert = speed.first {
            element = alert.element
            calmSince = nil
            let mayStep = changed.map { now - $0 >= Self.stepDown } ?? true
            if steps < Self.limit, steps == 0 || (mayStep && speed.contains(where: \.isStillExceeded)) {
                steps += 1
                changed = now
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
}

extension Alert {
    /// Whether the short window, too, misses the target; it knows a recovery first.
    var isStillExceeded: Bool { metric.isMinimum ? recent < target : recent > target }
}
