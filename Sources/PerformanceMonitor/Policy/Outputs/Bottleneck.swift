import Durations

/// The part of a pipeline that limits its rate, if the figures show one.
///
/// Frames pile up before the slow part and never behind it. So it begins behind the last queue that is full, and ends
/// before the next queue or at a sink.
public struct Bottleneck: Sendable, Equatable {
    /// Kind of what was found.
    public enum Kind: String, Sendable {
        /// One element works or waits during all of its time.
        case element
        /// All elements before the sink are fast, and the sink does not wait for the clock.
        case sink
        /// One of several elements; the figures do not show which.
        case part
    }

    /// Kind of what was found.
    public var kind: Kind
    /// Names of the elements: one, or for a part all of its elements.
    public var elements: [String]
    /// Name of the queue before them.
    public var queue: String
    /// Whether the queue discards frames; otherwise they wait in it.
    public var queueDrops: Bool
    /// Mean time that a frame takes in the element.
    public var latency: Duration?
    /// Frames a second that leave the element.
    public var rate: Double?
}

extension Bottleneck {
    /// Figures of an element that the search requires.
    struct Candidate {
        var name: String
        var isQueue: Bool
        var isSink: Bool
        var waitsForClock: Bool
        /// Whether the queue was full most of the time.
        var isFull: Bool
        var figures: ElementFigures
        var cpuWait: Double?
        var links: [String]

        /// Share of the time that it spends on frames; nil if it is not known, or if it holds several frames at once.
        var busy: Double? {
            guard let mean = figures.latency.mean, let rate = figures.rate, (figures.latency.coverage ?? 0) > 0.5
            else { return nil }
            let frames = mean.inSeconds * rate
            return frames <= 1.2 ? frames : nil
        }

        var drops: Bool { isQueue && (figures.dropped ?? 0) > 0 }
        /// Whether its thread lacks a processor for more than half of the time that it spends on frames.
        var isStarved: Bool { (cpuWait ?? 0) > 0.5 * min(busy ?? 1, 1) }
    }

    /// Share of the time from which an element limits the rate.
    private static let busyShare = 0.8
    /// The same if the sink behind it waits for the clock, which also fills queues.
    private static let busyShareBeforeClock = 0.95
    /// Share of the time up to which the elements before a sink are fast.
    private static let fastShare = 0.3

    /// Finds the bottleneck; nil if there is none, if there are several, or if the figures do not show it.
    static func find(_ elements: [Candidate]) -> Bottleneck? {
        var byName: [String: Candidate] = [:]
        for element in elements { byName[element.name] = element }
        let crowded = elements.filter { $0.isQueue && ($0.isFull || $0.drops) }
        let last = crowded.filter { queue in
            let beyond = reachable(from: queue.name, byName, until: { _ in false })
            return !crowded.contains { $0.name != queue.name && beyond.contains($0.name) }
        }
        guard last.count == 1, let queue = last.first else { return nil }
        let part = reachable(from: queue.name, byName, until: \.isQueue).compactMap { byName[$0] }
            .filter { !$0.isQueue }
        return find(part, behind: queue)
    }

    private static func find(_ part: [Candidate], behind queue: Candidate) -> Bottleneck? {
        let sinks = part.filter(\.isSink)
        let inner = part.filter { !$0.isSink }
        let waits = sinks.contains(where: \.waitsForClock)
        let busiest = inner.max { ($0.busy ?? 0) < ($1.busy ?? 0) }
        let sum = inner.reduce(0) { $0 + ($1.busy ?? 0) }
        let isKnown = inner.allSatisfy { $0.busy != nil }
        if let busiest, let busy = busiest.busy, busy >= (waits ? busyShareBeforeClock : busyShare) {
            // Without other programs, it might be fast enough.
            guard !busiest.isStarved else { return nil }
            return Bottleneck(
                kind: .element, elements: [busiest.name], queue: queue.name, queueDrops: queue.drops,
                latency: busiest.figures.latency.mean, rate: busiest.figures.rate)
        }
        guard !waits, !part.isEmpty else { return nil }
        if isKnown, sum <= fastShare {
            guard sinks.count == 1, let sink = sinks.first, !sink.isStarved else { return nil }
            return Bottleneck(
                kind: .sink, elements: [sink.name], queue: queue.name, queueDrops: queue.drops,
                rate: sink.figures.rate)
        }
        guard !isKnown || sum >= busyShare else { return nil }
        return Bottleneck(
            kind: .part, elements: part.map(\.name), queue: queue.name, queueDrops: queue.drops)
    }

    /// Names of the elements downstream of `name`, nearest first, not beyond those for which `until` is true.
    private static func reachable(
        from name: String, _ elements: [String: Candidate], until isEnd: (Candidate) -> Bool
    ) -> [String] {
        var found: [String] = []
        var seen: Set<String> = [name]
        var open = elements[name]?.links ?? []
        while !open.isEmpty {
            let next = open.removeFirst()
            guard seen.insert(next).inserted, let element = elements[next] else { continue }
            found.append(next)
            if !isEnd(element) { open += element.links }
        }
        return found
    }
}
