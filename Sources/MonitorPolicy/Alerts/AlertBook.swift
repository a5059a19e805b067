import Durations

/// Targets of a pipeline, the histories that they require, and the active alerts.
///
/// Call it once a second from one thread that is not a streaming thread; it allocates memory.
public struct AlertBook: Sendable {
    private struct Key: Hashable {
        let target: Int
        let element: String
    }

    /// A limit whose metric cannot be measured.
    public struct Unmeasured: Sendable, Hashable {
        /// Name of the element, or `pipeline`.
        public let element: String
        /// Memory or energy.
        public let metric: Metric
    }

    private let targets: [Target]
    private var watches: [Key: TargetWatch] = [:]
    /// Whether each target has matched an element, including elements removed since.
    private var isMatched: [Bool]

    /// Creates a book without alerts.
    public init(_ targets: Targets) {
        self.targets = targets.targets
        isMatched = Array(repeating: false, count: targets.targets.count)
    }

    /// Active alerts: critical ones first, then the oldest.
    public var alerts: [Alert] { watches.values.flatMap(\.alerts).sorted(by: Self.isBefore) }

    /// Values of all limits at the last tick, ordered by target, then by element.
    public private(set) var readings: [TargetReading] = []

    /// Highest severity of the active alerts; nil without alerts.
    public var severity: Severity? { watches.values.flatMap(\.alerts).map(\.severity).max() }

    /// Names of targets that no element has matched so far.
    public var unmatched: [String] { targets.indices.filter { !isMatched[$0] }.map { targets[$0].name } }

    /// Limits of memory and energy for which the element or the machine reports no value.
    public var unmeasured: Set<Unmeasured> {
        var limits: Set<Unmeasured> = []
        for (key, watch) in watches {
            limits.formUnion(watch.unmeasured.map { Unmeasured(element: key.element, metric: $0) })
        }
        return limits
    }

    /// Adds the counts of the elements and of the pipeline at `now`, and returns the changes of alerts.
    ///
    /// `process` has the memory and the power of the pipeline. Alerts of removed elements are cleared.
    public mutating func tick(
        _ elements: [ElementReading], pipeline: ElementCounts, process: ProcessFigures, now: Duration
    ) -> [AlertEvent] {
        var events: [AlertEvent] = []
        var present: Set<Key> = []
        readings = []
        for (index, target) in targets.enumerated() {
            for (name, counts) in watched(by: target, elements, pipeline) {
                let key = Key(target: index, element: name)
                guard present.insert(key).inserted else { continue }
                isMatched[index] = true
                var watch = watches.removeValue(forKey: key) ?? TargetWatch(target, name, counts, now: now)
                // Elements have neither memory nor power of their own.
                events += watch.tick(counts, target.isPipeline ? process : ProcessFigures(), now: now)
                watches[key] = watch
                readings += watch.readings
            }
        }
        return clear(watches.keys.filter { !present.contains($0) }) + events
    }

    /// Clears all alerts and windows, after a restart, a seek or a flush of the pipeline.
    public mutating func restart() -> [AlertEvent] { clear(Array(watches.keys)) }

    private func watched(
        by target: Target, _ elements: [ElementReading], _ pipeline: ElementCounts
    ) -> [(name: String, counts: ElementCounts)] {
        if target.isPipeline { return [(Target.pipeline, pipeline)] }
        return elements.filter { target.watches([$0.name, $0.ownName, $0.factory] + $0.kinds) }
            .map { ($0.name, $0.counts) }
    }

    private mutating func clear(_ keys: [Key]) -> [AlertEvent] {
        var alerts: [Alert] = []
        for key in keys { alerts += watches.removeValue(forKey: key)?.alerts ?? [] }
        return alerts.sorted(by: Self.isBefore).map(AlertEvent.cleared)
    }

    private static func isBefore(_ one: Alert, _ other: Alert) -> Bool {
        if one.severity != other.severity { return one.severity > other.severity }
        return (one.since, one.element, one.metric.rawValue) < (other.since, other.element, other.metric.rawValue)
    }
}

/// One target on one element: its history, and a state machine for each limit.
struct TargetWatch: Sendable {
    private let target: Target
    private let element: String
    private var history: ElementHistory
    private var gauges: [GaugeHistory]
    private var machines: [AlertMachine]
    private var standing: [Alert?]
    /// Number of frames, quiet time and time at the last tick.
    ///
    /// A pause is detected from these, because the history advances only once per fifth of the short window.
    private var last: (frames: UInt64, quiet: Duration, time: Duration)
    /// Metrics without a value, because the memory or the power of the element is unknown.
    private(set) var unmeasured: [Metric] = []
    private(set) var readings: [TargetReading] = []

    init(_ target: Target, _ element: String, _ counts: ElementCounts, now: Duration) {
        let window = target.window
        self.target = target
        self.element = element
        history = ElementHistory(shortWindow: window, counts: counts, now: now)
        gauges = target.limits.map { _ in GaugeHistory(shortWindow: window) }
        machines = target.limits.map {
            AlertMachine(limits: target.thresholds.limits(of: $0.metric), shortWindow: window)
        }
        standing = target.limits.map { _ in nil }
        last = (Self.frames(counts), counts.quiet, now)
    }

    var alerts: [Alert] { standing.compactMap { $0 } }

    mutating func tick(_ counts: ElementCounts, _ process: ProcessFigures, now: Duration) -> [AlertEvent] {
        history.tick(counts, now: now)
        let isFlowing = isFlowing(counts, now: now)
        unmeasured = []
        readings = []
        let long = history.figures(last: history.shortWindow * 12)
        let short = history.figures(last: history.shortWindow)
        var events: [AlertEvent] = []
        for (index, limit) in target.limits.enumerated() {
            let reading =
                limit.metric.isOfProcess
                ? gauge(index, limit, process, now)
                : AlertReading(limit, of: target, long: long, short: short, shortWindow: history.shortWindow)
            let change = machines[index].tick(reading, now: now)
            if let event = apply(change, reading, index, now) { events.append(event) }
            // The short window still contains frames from before the pause.
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
        let counts = long.usesAge(limit.metric) ? long.age.histogram : long.transit.histogram
        let compliance = limit.metric.quantile.flatMap { _ in
            counts.share(within: .nanoseconds(UInt64(limit.value * 1e9)))
        }
        return TargetReading(
            element: element, metric: limit.metric, target: limit.value, value: reading?.value, recent: reading?.recent,
            compliance: compliance, samples: reading?.samples ?? 0, severity: standing[index]?.severity)
    }

    private mutating func gauge(
        _ index: Int, _ limit: Target.Limit, _ process: ProcessFigures, _ now: Duration
    ) -> AlertReading? {
        guard let value = limit.metric == .memory ? process.memory.map({ Double($0) }) : process.power else {
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

/// Decides when an alert about one limit is raised, eased and cleared.
///
/// An alert is raised when both windows exceed a threshold. It is cleared when the short window stays below 0.9 times
/// the warning threshold for two short windows (10 s by default). This is the multi-window rule of the SRE workbook.
struct AlertMachine: Sendable {
    enum State: Sendable, Equatable {
        case quiet
        /// An alert is active. Since the time `milder`, its value has permitted a lower severity, or none; nil if not.
        case standing(Severity, since: Duration, milder: Duration?)
    }

    enum Change: Sendable, Equatable {
        case raised
        case eased
        case cleared(Severity, since: Duration)
    }

    /// Share of a threshold below which its alert is eased or cleared.
    static let clearShare = 0.9

    private(set) var state = State.quiet
    private let limits: Thresholds.Pair
    private let clearTime: Duration

    /// Creates a machine; `limits` are the excesses that raise a warning and a critical alert.
    init(limits: Thresholds.Pair, shortWindow: Duration = .seconds(5)) {
        self.limits = limits
        clearTime = shortWindow * 2
    }

    /// Takes a reading; nil is a time without frames, during which an active alert remains active.
    mutating func tick(_ reading: AlertReading?, now: Duration) -> Change? {
        guard let reading else { return nil }
        let exceeded = severity(reading)
        guard case .standing(let severity, let since, let milder) = state else {
            guard let exceeded else { return nil }
            state = .standing(exceeded, since: now, milder: nil)
            return .raised
        }
        if let exceeded, exceeded > severity {
            state = .standing(exceeded, since: since, milder: nil)
            return .raised
        }
        let permitted = permittedSeverity(reading)
        guard permitted.map({ $0 < severity }) ?? true else {
            state = .standing(severity, since: since, milder: nil)
            return nil
        }
        let start = milder ?? now
        guard now >= start, now - start >= clearTime else {
            state = .standing(severity, since: since, milder: start)
            return nil
        }
        guard let permitted else {
            state = .quiet
            return .cleared(severity, since: since)
        }
        state = .standing(permitted, since: since, milder: nil)
        return .eased
    }

    /// Highest severity whose threshold both windows exceed.
    private func severity(_ reading: AlertReading) -> Severity? {
        guard reading.isSufficient else { return nil }
        let excess = min(reading.longExcess, reading.shortExcess)
        return excess > limits.critical ? .critical : excess > limits.warning ? .warning : nil
    }

    private func permittedSeverity(_ reading: AlertReading) -> Severity? {
        let excess = reading.shortExcess
        if excess >= limits.critical * Self.clearShare { return .critical }
        return excess >= limits.warning * Self.clearShare ? .warning : nil
    }
}
