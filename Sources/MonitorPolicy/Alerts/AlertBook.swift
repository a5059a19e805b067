import Durations

/// Targets of a pipeline, the histories that they require, and the active alerts.
///
/// Call `tick`, which allocates memory, once a second from one thread that is not a streaming thread.
public struct AlertBook: Sendable {
    private struct Key: Hashable {
        let target: Int
        let element: String
    }

    /// A limit whose metric cannot be measured.
    public struct Unmeasured: Sendable, Hashable {
        /// Name of the element, or `pipeline`.
        public let element: String
        /// The metric: memory or energy.
        public let metric: Metric
    }

    private let targets: [Target]
    private var watches: [Key: TargetWatch] = [:]
    /// Whether each target has matched an element, which may have been removed since then.
    private var isMatched: [Bool]

    /// Creates a book without alerts.
    public init(_ targets: Targets) {
        self.targets = targets.targets
        isMatched = Array(repeating: false, count: targets.targets.count)
    }

    /// Active alerts: critical ones first, then the oldest.
    public var alerts: [Alert] { watches.values.flatMap(\.alerts).sorted(by: Self.isBefore) }

    /// Values of all limits at the last tick, in the order of the targets and of their elements.
    private(set) var figures: [TargetFigures] = []

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
        figures = []
        for (index, target) in targets.enumerated() {
            for (name, counts) in watched(by: target, elements, pipeline) {
                let key = Key(target: index, element: name)
                guard present.insert(key).inserted else { continue }
                isMatched[index] = true
                var watch = watches.removeValue(forKey: key) ?? TargetWatch(target, name, counts, now: now)
                // Elements have neither memory nor power of their own.
                events += watch.tick(counts, target.isPipeline ? process : ProcessFigures(), now: now)
                watches[key] = watch
                figures += watch.figures
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
        return alerts.sorted(by: Self.isBefore).map { AlertEvent(change: .cleared, alert: $0) }
    }

    private static func isBefore(_ one: Alert, _ other: Alert) -> Bool {
        if one.severity != other.severity { return one.severity > other.severity }
        return (one.since, one.element, one.metric.rawValue) < (other.since, other.element, other.metric.rawValue)
    }
}

/// A target that watches one element: the history of the element, and the state of each limit.
struct TargetWatch: Sendable {
    private let target: Target
    private let element: String
    private var history: ElementHistory
    private var limits: [LimitState]
    /// Number of frames, quiet time and time at the last tick.
    ///
    /// A pause is detected from these values, because the history advances only once per fifth of the short window.
    private var last: (frames: UInt64, quiet: Duration, time: Duration)
    private(set) var figures: [TargetFigures] = []

    init(_ target: Target, _ element: String, _ counts: ElementCounts, now: Duration) {
        self.target = target
        self.element = element
        history = ElementHistory(shortWindow: target.window, counts: counts, now: now)
        limits = target.limits.map { LimitState($0, of: target) }
        last = (counts.framesIn &+ counts.framesOut, counts.quiet, now)
    }

    var alerts: [Alert] { limits.compactMap(\.alert) }
    /// Metrics without a value, because the memory or the power of the element is unknown.
    var unmeasured: [Metric] { limits.filter(\.isUnmeasured).map(\.limit.metric) }

    mutating func tick(_ counts: ElementCounts, _ process: ProcessFigures, now: Duration) -> [AlertEvent] {
        history.tick(counts, now: now)
        let isFlowing = isFlowing(counts, now: now)
        let window = history.shortWindow
        let (long, short) = (history.figures(last: window * 12), history.figures(last: window))
        var events: [AlertEvent] = []
        figures = []
        for index in limits.indices {
            let limit = limits[index].limit
            let reading =
                limit.metric.isOfProcess
                ? limits[index].read(process, now: now)
                : AlertReading(limit, of: target, long: long, short: short, shortWindow: window)
            if let event = limits[index].tick(reading, element, now: now) { events.append(event) }
            // After a pause, the short window still contains frames from before the pause.
            if !isFlowing, !limit.metric.isOfProcess { limits[index].alert?.isCurrent = false }
            figures.append(figures(of: limits[index], reading, long))
        }
        return events
    }

    /// Whether a frame passed since the last tick, or frames were expected for more than half of that time.
    private mutating func isFlowing(_ counts: ElementCounts, now: Duration) -> Bool {
        let frames = counts.framesIn &+ counts.framesOut
        defer { last = (frames, counts.quiet, now) }
        return frames != last.frames || (counts.quiet - last.quiet) * 2 < now - last.time
    }

    private func figures(of state: LimitState, _ reading: AlertReading?, _ long: WindowFigures) -> TargetFigures {
        let limit = state.limit
        let compliance = limit.metric.quantile.flatMap { _ in
            let counts = long.usesAge(limit.metric) ? long.age.histogram : long.latency.histogram
            return counts.share(within: .nanoseconds(UInt64(limit.value * 1e9)))
        }
        return TargetFigures(
            element: element, metric: limit.metric, target: limit.value, value: reading?.value, recent: reading?.recent,
            compliance: compliance, samples: reading?.samples ?? 0, severity: state.alert?.severity)
    }
}

/// Decides when the alert about one limit is raised, eased and cleared.
///
/// An alert is raised when both windows exceed a threshold. It is cleared when the short window stays below 0.9 times
/// the warning threshold for two short windows (10 s by default). This is the multi-window rule of the SRE workbook.
struct LimitState: Sendable {
    /// Share of a threshold below which its alert is eased or cleared.
    private static let clearShare = 0.9

    let limit: Target.Limit
    private let tiers: [Target.Tier]
    private let thresholds: Thresholds.Pair
    private let shortWindow: Duration
    private var gauge: GaugeHistory
    /// The active alert.
    var alert: Alert?
    /// Time since which the value has permitted a lower severity or no alert; nil if it permits neither.
    private var milder: Duration?
    private(set) var isUnmeasured = false

    init(_ limit: Target.Limit, of target: Target) {
        self.limit = limit
        tiers = target.tiers
        thresholds = target.thresholds.limits(of: limit.metric)
        shortWindow = target.window
        gauge = GaugeHistory(shortWindow: target.window)
    }

    /// Samples the memory or the power; nil if the value is unknown.
    mutating func read(_ process: ProcessFigures, now: Duration) -> AlertReading? {
        let value = limit.metric == .memory ? process.memory.map { Double($0) } : process.power
        isUnmeasured = value == nil
        guard let value else { return nil }
        gauge.tick(value, now: now)
        return AlertReading(gauge, shortWindow: shortWindow)
    }

    /// Takes a reading, which is nil if the metric has no value; an active alert then remains active.
    mutating func tick(_ reading: AlertReading?, _ element: String, now: Duration) -> AlertEvent? {
        guard let reading else {
            alert?.isCurrent = false
            return nil
        }
        let before = alert
        guard let severity = severity(reading, now: now) else {
            alert = nil
            return before.map {
                AlertEvent(change: .cleared, alert: made(reading, $0.severity, element, since: $0.since))
            }
        }
        let new = made(reading, severity, element, since: before?.since ?? now)
        alert = new
        guard severity != before?.severity else { return nil }
        let isEased = before.map { severity < $0.severity } ?? false
        return AlertEvent(change: isEased ? .eased : .raised, alert: new)
    }

    /// Severity from now on; nil if no alert is active from now on.
    private mutating func severity(_ reading: AlertReading, now: Duration) -> Severity? {
        let long = Thresholds.excess(limit.metric, of: reading.value, over: limit.value)
        let short = Thresholds.excess(limit.metric, of: reading.recent, over: limit.value)
        let exceeded = reading.isSufficient ? highest(min(long, short), >, 1) : nil
        guard let before = alert?.severity else { return exceeded }
        let permitted = highest(short, >=, Self.clearShare)
        let start = milder ?? now
        milder = nil
        if let exceeded, exceeded > before { return exceeded }
        guard permitted.map({ $0 < before }) ?? true else { return before }
        if now >= start, now - start >= shortWindow * 2 { return permitted }
        milder = start
        return before
    }

    /// Highest severity for which `excess` reaches the threshold times `share`; nil if there is none.
    private func highest(_ excess: Double, _ reaches: (Double, Double) -> Bool, _ share: Double) -> Severity? {
        if reaches(excess, thresholds.critical * share) { return .critical }
        return reaches(excess, thresholds.warning * share) ? .warning : nil
    }

    private func made(_ reading: AlertReading, _ severity: Severity, _ element: String, since: Duration) -> Alert {
        Alert(
            severity: severity, element: element, metric: limit.metric, target: limit.value, value: reading.value,
            recent: reading.recent, window: shortWindow * 12, samples: reading.samples, since: since, tiers: tiers)
    }
}
