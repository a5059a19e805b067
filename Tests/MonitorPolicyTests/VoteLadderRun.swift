@testable import MonitorPolicy

/// A `VoteLadder` whose `tick` receives simulated alerts once a second.
struct VoteLadderRun {
    private var ladder: VoteLadder
    private var second = 0
    /// State of the stream in the next seconds.
    var condition = VoteLadder.Condition()

    /// Creates the ladder of the monitor with this name.
    init(_ monitor: String = "m") { ladder = VoteLadder(monitor: monitor) }

    /// Number of requests after some seconds with the same alerts.
    mutating func play(_ seconds: Int, _ alerts: [Alert]) -> Int { counts(seconds, alerts).last ?? 0 }

    /// Maximum number of requests during some seconds with the same alerts.
    mutating func most(_ seconds: Int, _ alerts: [Alert]) -> Int { counts(seconds, alerts).max() ?? 0 }

    /// The requests of the next second.
    mutating func tick(_ alerts: [Alert]) -> [VoteLadder.Vote] {
        defer { second += 1 }
        return ladder.tick(alerts, in: condition, now: .seconds(second))
    }

    /// Ends the requests, as `act=none` does.
    mutating func reset() { ladder.reset(now: .seconds(second)) }

    private mutating func counts(_ seconds: Int, _ alerts: [Alert]) -> [Int] {
        (0..<seconds).map { _ in tick(alerts).count }
    }

    /// An alert about a target of 100, such as 100 ms or 100 frames a second.
    static func alert(
        _ metric: Metric = .p95, recent: Double, element: String = "pipeline", window: Duration = .seconds(60),
        since: Duration = .zero
    ) -> Alert {
        Alert(
            severity: .warning, element: element, metric: metric, target: 100, value: recent, recent: recent,
            window: window, samples: 1000, since: since, tiers: [])
    }

    /// Copies of `alerts` without current values, as if no frame flows.
    static func frozen(_ alerts: [Alert]) -> [Alert] {
        alerts.map { alert in
            var alert = alert
            alert.isCurrent = false
            return alert
        }
    }

    /// An alert whose short window misses the target.
    static let slow = [alert(recent: 200)]
    /// An alert whose short window meets the target, but whose long window misses it.
    static let recovered = [alert(recent: 90)]
}
