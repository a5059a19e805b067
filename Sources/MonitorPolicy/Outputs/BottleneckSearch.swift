import Durations

/// Finds the bottleneck of a pipeline, or nothing if the figures do not show one for certain.
struct BottleneckSearch {
    /// Figures of an element that the search requires.
    struct Candidate {
        var name: String
        var isQueue: Bool
        var isSink: Bool
        /// Frames a second of the caps of a source; nil if it has none.
        var framerate: Double?
        var waitsForClock: Bool
        var hasOwnThread: Bool
        /// How full the queue was; nil if it is not known.
        var fill: QueueFill.Level?
        var figures: ElementFigures
        var cpu: Double?
        var cpuWait: Double?
        var links: [String]

        /// Share of the time that it spends on frames; nil if it is not known, or if it holds frames, as elements do that
        /// wait for the next one or have a thread of their own.
        var busy: Double? {
            guard let mean = figures.latency.mean, let rate = figures.rate, (figures.latency.coverage ?? 0) > 0.5,
                !hasOwnThread, (figures.held ?? 0) < 0.5
            else { return nil }
            let frames = mean.inSeconds * rate
            return frames <= 1.2 ? frames : nil
        }

        /// Whether it is a queue that discards more than a few of its frames.
        var drops: Bool {
            guard isQueue, let dropped = figures.dropped, dropped > 0 else { return false }
            return Double(dropped) >= BottleneckSearch.droppedShare * Double(figures.framesIn)
        }

        /// Whether it is a queue that is full or discards frames; a queue that was removed leads nowhere.
        var isCrowded: Bool { isQueue && !links.isEmpty && (fill == .full || drops) }
    }

    /// Share of its frames from which a queue discards too many.
    private static let droppedShare = 0.05
    /// Share of the time from which an element limits the rate.
    private static let busyShare = 0.8
    /// Share of the time up to which the elements before a sink are fast.
    private static let fastShare = 0.3
    /// Share of the framerate from which a source is as fast as its caps.
    private static let steadyShare = 0.9
    /// Share of the time of an element from which its wait for a processor matters.
    private static let starvedShare = 0.5
    /// Share of the busy processors from which an element waits only for itself.
    private static let ownShare = 0.75

    private let elements: [Candidate]
    private let byName: [String: Candidate]
    /// Names of the elements before each element.
    private var inputs: [String: Set<String>] = [:]
    private let machineCPU: Double?

    /// Takes the elements, and how many processors are busy with all programs.
    init(_ elements: [Candidate], machineCPU: Double?) {
        self.elements = elements
        self.machineCPU = machineCPU
        byName = Dictionary(elements.map { ($0.name, $0) }, uniquingKeysWith: { one, _ in one })
        for element in elements { for next in element.links { inputs[next, default: []].insert(element.name) } }
    }

    /// Returns the bottleneck; nil if there is none, if there are several, or if the figures do not show it.
    func find() -> Bottleneck? {
        let crowded = elements.filter(\.isCrowded)
        let last = crowded.filter { queue in
            let names = Set(reachable(from: queue.name, until: { _ in false }).map(\.name))
            return !crowded.contains { $0.name != queue.name && names.contains($0.name) }
        }.filter { !waitsForOtherInput(behind: $0) }
        guard last.count == 1, let queue = last.first, !waitsForClock(behind: queue) else { return nil }
        return find(in: part(behind: queue), behind: queue)
    }

    /// Returns the source that is slower than its caps, although it never waits for the elements behind it; nil if there
    /// is none, or if the figures do not show it.
    func findSlowSource() -> SlowSource? {
        for source in elements {
            guard let framerate = source.framerate, let rate = source.figures.rate, rate < Self.steadyShare * framerate
            else { continue }
            let (part, ends) = (part(behind: source), ends(behind: source))
            // A sink has no latency of its own, so it may be what stops the source.
            guard !ends.isEmpty, ends.allSatisfy({ $0.fill == .low }), !isStarved(source, during: 1),
                part.allSatisfy({ !$0.isSink && !$0.waitsForClock && $0.busy != nil }),
                part.reduce(0, { $0 + ($1.busy ?? 0) }) <= Self.fastShare
            else { continue }
            return SlowSource(element: source.name, rate: rate, framerate: framerate, queues: ends.map(\.name))
        }
        return nil
    }

    private func find(in part: [Candidate], behind queue: Candidate) -> Bottleneck? {
        let inner = part.filter { !$0.isSink }
        let busy = inner.filter { ($0.busy ?? 0) >= Self.busyShare }
        if let busiest = busy.first {
            // One thread cannot be busy with two elements. Without other programs, the element might be fast enough.
            guard busy.count == 1, !isStarved(busiest, during: busiest.busy) else { return nil }
            return Bottleneck(
                kind: .element, elements: [busiest.name], queue: queue.name, queueDrops: queue.drops,
                latency: busiest.figures.latency.mean, rate: busiest.figures.rate)
        }
        // A queue of unknown level at the end of the part may be what stops it.
        guard !part.isEmpty, ends(behind: queue).allSatisfy({ $0.fill == .low }),
            !part.contains(where: { isStarved($0, during: 1) })
        else { return nil }
        let sum = inner.reduce(0) { $0 + ($1.busy ?? 0) }
        let isKnown = inner.allSatisfy { $0.busy != nil }
        if isKnown, sum <= Self.fastShare {
            let sinks = part.filter(\.isSink)
            guard sinks.count == 1, let sink = sinks.first else { return nil }
            return Bottleneck(
                kind: .sink, elements: [sink.name], queue: queue.name, queueDrops: queue.drops,
                rate: sink.figures.rate)
        }
        guard !isKnown || sum >= Self.busyShare else { return nil }
        return Bottleneck(kind: .part, elements: part.map(\.name), queue: queue.name, queueDrops: queue.drops)
    }

    /// Whether the threads of an element lack a processor for much of the time in which it is busy, and not because they
    /// use nearly all processors themselves.
    private func isStarved(_ element: Candidate, during busy: Double?) -> Bool {
        let wanted = max(min(busy ?? 1, 1), element.cpu ?? 0)
        guard let wait = element.cpuWait, wait > Self.starvedShare * wanted else { return false }
        guard let machineCPU, let cpu = element.cpu else { return true }
        return cpu < Self.ownShare * machineCPU
    }

    // MARK: Ways

    /// Elements behind a queue, up to the next queues.
    private func part(behind queue: Candidate) -> [Candidate] {
        reachable(from: queue.name, until: \.isQueue).filter { !$0.isQueue }
    }

    /// The next queues behind a queue.
    private func ends(behind queue: Candidate) -> [Candidate] {
        reachable(from: queue.name, until: \.isQueue).filter(\.isQueue)
    }

    /// Whether an element behind a queue, such as a muxer, has another input that is not a full queue.
    ///
    /// It may wait for that input, which fills the queue.
    private func waitsForOtherInput(behind queue: Candidate) -> Bool {
        let part = part(behind: queue).map(\.name)
        let names = Set(part + [queue.name])
        return part.contains { name in
            (inputs[name] ?? []).contains { !names.contains($0) && byName[$0]?.fill != .full }
        }
    }

    /// Whether an element behind a queue waits for the clock, and frames wait for it; a queue that is nearly empty is
    /// never what stops those before it.
    private func waitsForClock(behind queue: Candidate) -> Bool {
        reachable(from: queue.name, until: { $0.isQueue && $0.fill == .low }).contains(where: \.waitsForClock)
    }

    /// Elements downstream of `name`, nearest first, not beyond those for which `until` is true.
    private func reachable(from name: String, until isEnd: (Candidate) -> Bool) -> [Candidate] {
        var found: [Candidate] = []
        var seen: Set<String> = [name]
        var open = byName[name]?.links ?? []
        while !open.isEmpty {
            let next = open.removeFirst()
            guard seen.insert(next).inserted, let element = byName[next] else { continue }
            found.append(element)
            if !isEnd(element) { open += element.links }
        }
        return found
    }
}
