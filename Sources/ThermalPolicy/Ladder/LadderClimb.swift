import MachineState

/// Selects the rung of a ladder: down after a short dwell, up after a long one.
///
/// A step down requires `downDwell` since the last change. A step up requires `upDwell` without heat and without
/// requests. If a step down soon follows, `upDwell` doubles, up to `longestUpDwell`. While the level is unknown, steps
/// that heat has caused are kept; steps that were only requested are reverted.
public struct LadderClimb: Sendable {
    public struct Times: Sendable, Equatable {
        public var downDwell: Duration = .seconds(2)
        public var upDwell: Duration = .seconds(40)
        public var longestUpDwell: Duration = .seconds(240)

        public init() {}
    }

    public var times = Times()
    /// Whether shutdown selects the last rung, and does not end the stream.
    public var survivesShutdown = false

    public private(set) var index = 0
    /// The time of the next step, or of the end of a request; nil if neither is expected.
    public private(set) var due: Duration?
    /// The lowest rung that heat has caused, at most the present one.
    private var heatRung = 0
    private var lastChange: Duration?
    private var calmSince: Duration?
    private var lastUp: Duration?
    private var doublings = 0
    private struct Request {
        /// The lowest requested rung.
        var rung: Int
        /// Nil for a request without duration.
        var end: Duration?
    }

    /// By reason.
    private var requests: [String: Request] = [:]

    /// Limits memory, because an element may use a new reason for each request.
    private static let mostRequests = 64

    public init() {}

    /// The reasons of all requests.
    public var reasons: [String] { requests.keys.sorted() }

    /// Adds the request of another element for a step down.
    ///
    /// Without `end` the request lasts until `restore`, and a repeated reason requests one more step. With `end` a
    /// repeated reason only changes the end, so that an element may repeat its request every second.
    public mutating func degrade(_ reason: String, until end: Duration? = nil) {
        let old = requests[reason]
        guard old != nil || requests.count < Self.mostRequests else { return }
        let more = min(max(index, old?.rung ?? 0) + 1, 1000)
        requests[reason] = Request(rung: end == nil ? more : old?.rung ?? more, end: end)
    }

    /// Removes the request with this reason.
    public mutating func restore(_ reason: String) { requests[reason] = nil }

    /// Called when the ladder changes; `rung` maps each rung of the old ladder to one of the new.
    ///
    /// Each request still requests at least one step.
    public mutating func mapRungs(_ rung: (Int) -> Int) {
        index = rung(index)
        heatRung = min(rung(heatRung), index)
        requests = requests.mapValues { Request(rung: max(1, rung($0.rung)), end: $0.end) }
    }

    /// Selects the rung, at most one step from the present one, except at shutdown.
    ///
    /// `entries` are the least levels of the rungs; the first rung is full quality.
    public mutating func update(_ level: ThermalLevel, entries: [ThermalLevel], now: Duration) -> Int {
        let last = max(0, entries.count - 1)
        index = min(index, last)
        requests = requests.filter { $0.value.end.map { now < $0 } ?? true }
        let byHeat = level == .unknown ? min(heatRung, index) : entries.lastIndex { $0 <= level } ?? 0
        let byRequest = min(requests.values.map(\.rung).max() ?? 0, last)
        let wanted = max(level == .shutdown && survivesShutdown ? last : byHeat, byRequest)
        due = requests.values.compactMap(\.end).min()
        if wanted > index {
            calmSince = nil
            if hasPassed(times.downDwell, since: lastChange, now) {
                noteFall(now)
                index = level == .shutdown && survivesShutdown ? last : index + 1
                lastChange = now
            }
            if wanted > index { expect((lastChange ?? now) + times.downDwell) }
        } else if byHeat >= index || !requests.isEmpty {
            calmSince = nil
        } else {
            let start = calmSince ?? now
            calmSince = start
            if hasPassed(upDwell, since: max(start, lastChange ?? start), now) {
                if let up = lastUp, now - up > failureWindow { doublings = 0 }
                index -= 1
                lastUp = now
                lastChange = now
                calmSince = now
            }
            if byHeat < index { expect(max(calmSince ?? now, lastChange ?? now) + upDwell) }
        }
        heatRung = min(max(heatRung, byHeat), index)
        return index
    }

    /// The dwell before the next step up.
    public var upDwell: Duration {
        min(times.upDwell * (1 << min(doublings, 20)), max(times.longestUpDwell, times.upDwell))
    }

    /// A step up has failed if a step down follows within this time; machines take minutes to become hot again.
    private var failureWindow: Duration { max(upDwell, times.longestUpDwell) * 2 }

    private mutating func noteFall(_ now: Duration) {
        guard let up = lastUp else { return }
        if now - up <= failureWindow { doublings = min(doublings + 1, 20) } else { doublings = 0 }
        lastUp = nil
    }

    private mutating func expect(_ time: Duration) { due = min(due ?? time, time) }

    private func hasPassed(_ time: Duration, since: Duration?, _ now: Duration) -> Bool {
        guard let since else { return true }
        return now - since >= time
    }
}
