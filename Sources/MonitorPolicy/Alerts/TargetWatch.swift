import Durations

/// One target on one element: its history, and a state machine for each limit.
struct TargetWatch: Sendable {
    private let target: Target
    private let element: String
    private var history: ElementHistory
    private var gauges: [GaugeHistory]
    private var machines: [AlertMachine]
    /// Alerts that stand, by limit.
    private var standing: [Alert?]
    /// Number of frames that passed, time without expected frames, and time of the last tick.
    ///
    /// The history, with a tick each fifth of the short window, notices a pause too late.
    private var last: (frames: UInt64, quiet: Duration, time: Duration)
    /// Limits that have no value because the element's memory or power is not known.
    private(set) var unmeasured: [Metric] = []
    /// The values of the last tick, by limit.
    private(set) var readings: [TargetReading] = []

    /// Begins to watch an element whose counts are known at `now`.
    init(_ target: Target, _ element: WatchedElement, now: Duration) {
        let window = target.window
        self.target = target
        self.element = element.name
        history = ElementHistory(shortWindow: window, counts: element.counts, now: now)
        gauges = target.limits.map { _ in GaugeHistory(shortWindow: window) }
        machines = target.limits.map {
            AlertMachine(limits: target.thresholds.limits(of: $0.metric), shortWindow: window)
        }
        standing = target.limits.map { _ in nil }
        last = (Self.frames(element.counts), element.counts.quiet, now)
    }

    /// Alerts that stand.
    var alerts: [Alert] { standing.compactMap { $0 } }

    /// Takes the counts of the element, and returns what changed.
    mutating func tick(_ element: WatchedElement, now: Duration) -> [AlertEvent] {
        history.tick(element.counts, now: now)
        let isFlowing = isFlowing(element.counts, now: now)
        unmeasured = []
        readings = []
        let long = history.figures(last: history.shortWindow * 12)
        let short = history.figures(last: history.shortWindow)
        var events: [AlertEvent] = []
        for (index, limit) in target.limits.enumerated() {
            let reading =
                limit.metric.isOfProcess
                ? gauge(index, limit, element, now)
                : AlertReading(limit, of: target, long: long, short: short, shortWindow: history.shortWindow)
            let change = machines[index].tick(reading, now: now)
            if let event = apply(change, reading, index, now) { events.append(event) }
            // The short window remembers frames from before a pause.
            if !isFlowing, !limit.metric.isOfProcess { standing[index]?.isCurrent = false }
            readings.append(current(index, limit, reading, long))
        }
        return events
    }

    /// Whether a frame passed since the last tick, or frames were expected for more than half of that time.
    private mutating func isFlowing(_ counts: ElementCounts, now: Duration) -> Bool {
        let frames = Self.frames(counts)
        defer { last = (frames, counts.quiet, now) }
        return frames != last.frames || (counts.quiet - last.quiet) * 2 < now - last.time
    }

    private static func frames(_ counts: ElementCounts) -> UInt64 { counts.framesIn &+ counts.framesOut }

    private func current(
        _ index: Int, _ limit: Target.Limit, _ reading: AlertReading?, _ long: WindowFigures
    ) -> TargetReading {
        let counts = limit.metric.isAge || !long.hasTransit ? long.age.histogram : long.transit.histogram
        let compliance = limit.metric.quantile.flatMap { _ in
            counts.share(within: .nanoseconds(UInt64(limit.value * 1e9)))
        }
        return TargetReading(
            element: element, metric: limit.metric, target: limit.value, value: reading?.value, recent: reading?.recent,
            compliance: compliance, samples: reading?.samples ?? 0, severity: standing[index]?.severity)
    }

    private mutating func gauge(
        _ index: Int, _ limit: Target.Limit, _ element: WatchedElement, _ now: Duration
    ) -> AlertReading? {
        guard let value = limit.metric == .memory ? element.memory : element.power else {
            unmeasured.append(limit.metric)
            return nil
        }
        gauges[index].tick(value, now: now)
        return AlertReading(limit, in: gauges[index], shortWindow: history.shortWindow)
    }

    private mutating func apply(
        _ change: AlertMachine.Change?, _ reading: AlertReading?, _ index: Int, _ now: Duration
    ) -> AlertEvent? {
        guard let reading else {
            standing[index]?.isCurrent = false
            return nil
        }
        if case .standing(let severity, let since, _) = machines[index].state {
            standing[index] = alert(severity, since, reading, target.limits[index])
        }
        guard let change else { return nil }
        switch change {
        case .raised: return standing[index].map(AlertEvent.raised)
        case .eased: return standing[index].map(AlertEvent.eased)
        case .cleared(let severity, let since):
            standing[index] = nil
            return .cleared(alert(severity, since, reading, target.limits[index]))
        }
    }

    private func alert(
        _ severity: Severity, _ since: Duration, _ reading: AlertReading, _ limit: Target.Limit
    ) -> Alert {
        Alert(
            severity: severity, element: element, metric: limit.metric, target: limit.value, value: reading.value,
            recent: reading.recent, window: history.shortWindow * 12, samples: reading.samples,
            since: since, tiers: target.tiers)
    }
}
