/// Targets of a pipeline, the histories that they require, and the alerts that stand.
///
/// One thread calls it once a second, not a streaming thread; it allocates.
public struct AlertBook: Sendable {
    /// A target on the element with a name.
    private struct Key: Hashable {
        let target: Int
        let element: String
    }

    /// A limit that has no value.
    public struct Unmeasured: Sendable, Hashable {
        /// Name of the element, or `pipeline`.
        public let element: String
        /// Memory or energy.
        public let metric: Metric
    }

    private let targets: [Target]
    private var watches: [Key: TargetWatch] = [:]
    /// Whether an element has matched each target, also one that is gone.
    private var isMatched: [Bool]

    /// Creates a book without alerts.
    public init(_ targets: Targets) {
        self.targets = targets.targets
        isMatched = Array(repeating: false, count: targets.targets.count)
    }

    /// Alerts that stand, critical ones first, then the oldest.
    public var alerts: [Alert] { watches.values.flatMap(\.alerts).sorted(by: Self.isBefore) }

    /// Values of all limits at the last tick, in the order of the targets and, within one, of the elements.
    public private(set) var readings: [TargetReading] = []

    /// The highest severity that stands; nil if no alert stands.
    public var severity: Severity? { watches.values.flatMap(\.alerts).map(\.severity).max() }

    /// Names of targets that no element has matched so far.
    public var unmatched: [String] { targets.indices.filter { !isMatched[$0] }.map { targets[$0].name } }

    /// Limits of memory and energy that have no value, because the element or the machine does not tell it.
    public var unmeasured: Set<Unmeasured> {
        var limits: Set<Unmeasured> = []
        for (key, watch) in watches {
            limits.formUnion(watch.unmeasured.map { Unmeasured(element: key.element, metric: $0) })
        }
        return limits
    }

    /// Takes the counts of the elements in the pipeline, and of the pipeline, at `now`, and returns what changed.
    ///
    /// `pipeline` has the memory and the power of the process. Alerts of elements that are gone are cleared.
    public mutating func tick(
        _ elements: [WatchedElement], pipeline: WatchedElement, now: Duration
    ) -> [AlertEvent] {
        var events: [AlertEvent] = []
        var present: Set<Key> = []
        readings = []
        for index in targets.indices {
            for element in watched(by: targets[index], elements, pipeline) {
                let key = Key(target: index, element: element.name)
                guard present.insert(key).inserted else { continue }
                isMatched[index] = true
                var watch = watches.removeValue(forKey: key) ?? TargetWatch(targets[index], element, now: now)
                events += watch.tick(element, now: now)
                watches[key] = watch
                readings += watch.readings
            }
        }
        return clear(watches.keys.filter { !present.contains($0) }) + events
    }

    /// Clears all alerts and forgets all windows: after a restart, a seek or a flush of the pipeline.
    public mutating func restart() -> [AlertEvent] { clear(Array(watches.keys)) }

    private func watched(
        by target: Target, _ elements: [WatchedElement], _ pipeline: WatchedElement
    ) -> [WatchedElement] {
        guard target.isPipeline else { return elements.filter { target.watches([$0.name] + $0.kinds) } }
        var named = pipeline
        named.name = Target.pipeline
        return [named]
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
