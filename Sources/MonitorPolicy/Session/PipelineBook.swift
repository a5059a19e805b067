import Durations

/// Figures of a pipeline from its start to its end: histories, alerts, and the shown elements.
///
/// Call `tick`, which allocates memory, once a second from one thread that is not a streaming thread.
public struct PipelineBook: Sendable {
    private static let shownKinds: Set<String> = ["source", "sink", "encoder", "decoder", "queue"]
    /// Elements that report one of these values are also shown: `adaptivepool` and `thermalcaps`.
    private static let shownLevels: Set<String> = ["outstanding-buffers", ladderStep]
    /// Level of `thermalcaps`: 1 while it reduces the quality.
    private static let ladderStep = "ladder-step"
    /// Any other element is shown if its mean latency is at least this share of the time between two frames.
    private static let shownShare = 0.01
    private static let mostNotes = 30

    /// Figures of one element since its first reading.
    private struct Element: Sendable {
        var history: ElementHistory
        var fill = QueueFill()
        var packets = PacketHistory()
        var capsRate = CapsRate()
        var stall = StallMemory()
        /// Whether the element was shown before, and thus remains shown, because outputs never lose a row.
        var isShown = false

        /// Takes a reading; ignores queue levels in the last one, because queues are empty after a stop.
        mutating func tick(_ reading: ElementReading, memory: UInt64?, isLast: Bool) {
            packets.tick(reading.levels, framesOut: reading.counts.framesOut)
            capsRate.tick(reading.framerate)
            guard !isLast else { return }
            fill.tick(reading.levels)
            let level = reading.levels.first { $0.name == "current-level-bytes" }?.value
            guard reading.takesRawVideo, reading.kinds.contains("queue"), let level, let memory else { return }
            stall.tick(level: level, memory: Double(memory))
        }
    }

    private let name: String
    private let started: Duration
    private let showsAll: Bool
    private var elements: [Int: Element] = [:]
    private var pipeline: ElementHistory?
    private var sinks = SinkSum()
    private var book: AlertBook
    private var notes: [AlertNote] = []
    /// Number of frames that had passed the present elements at the last tick.
    private var frames: UInt64 = 0
    /// State of the stream at the last tick.
    public private(set) var condition = VoteLadder.Condition()

    /// Creates the book of a pipeline that starts at `now`; `showsAll` is set if the user selected the elements.
    public init(name: String, targets: Targets, showsAll: Bool, now: Duration) {
        self.name = name
        self.showsAll = showsAll
        started = now
        book = AlertBook(targets)
    }

    /// Active alerts, critical ones first.
    public var alerts: [Alert] { book.alerts }
    /// Names of targets that no element has matched so far.
    public var unmatchedTargets: [String] { book.unmatched }
    /// Limits whose metric has no value on this machine.
    public var unmeasured: Set<AlertBook.Unmeasured> { book.unmeasured }

    /// Replaces the targets and clears the alerts of the old ones.
    public mutating func replace(_ targets: Targets) -> [AlertEvent] {
        defer { book = AlertBook(targets) }
        return book.restart()
    }

    /// Takes the readings of `now`, and returns the figures and the changes of alerts.
    ///
    /// The last readings (`isLast`) count even if they follow the previous ones at once.
    public mutating func tick(
        _ readings: [ElementReading], process: ProcessFigures, now: Duration, isLast: Bool = false
    ) -> (snapshot: MonitorSnapshot, events: [AlertEvent]) {
        take(readings, process, now, isLast: isLast)
    }

    /// Returns the figures of `now` without storing the readings, for use between two ticks or before the first one.
    public func preview(_ readings: [ElementReading], process: ProcessFigures, now: Duration) -> MonitorSnapshot {
        var copy = self
        return copy.take(readings, process, now, isPreview: true).snapshot
    }

    // MARK: Details

    private mutating func take(
        _ readings: [ElementReading], _ process: ProcessFigures, _ now: Duration, isPreview: Bool = false,
        isLast: Bool = false
    ) -> (snapshot: MonitorSnapshot, events: [AlertEvent]) {
        let readings = readings.map(Self.withoutFalseDrops)
        let countsShortTick = isPreview || isLast
        for reading in readings {
            var element =
                elements.removeValue(forKey: reading.id) ?? Element(history: history(now, began: reading.began))
            if !isPreview { element.tick(reading, memory: process.memory, isLast: isLast) }
            element.history.tick(reading.counts, now: now, isLast: countsShortTick)
            elements[reading.id] = element
        }
        // Elements that were removed long ago have no reading, so their figures are discarded.
        let known = Set(readings.map(\.id))
        elements = elements.filter { known.contains($0.key) }
        let sinks = sinks.tick(readings, age: time(now))
        if let sinks {
            var history = pipeline ?? history(now)
            history.tick(sinks, now: now, isLast: countsShortTick)
            pipeline = history
        }
        let present = readings.filter(\.isPresent)
        follow(present)
        let events = book.tick(present, pipeline: sinks ?? ElementCounts(), process: process, now: now)
        note(events, now)
        return (snapshot(readings, process, now, isLast: isLast), events)
    }

    private mutating func follow(_ present: [ElementReading]) {
        let frames = present.reduce(UInt64(0)) { $0 &+ $1.counts.framesIn &+ $1.counts.framesOut }
        condition.isFlowing = frames != self.frames
        self.frames = frames
        condition.isReduced = present.contains { reading in
            reading.levels.contains { $0.name == Self.ladderStep && $0.value > 0 }
        }
    }

    private mutating func note(_ events: [AlertEvent], _ now: Duration) {
        notes += events.map { AlertNote(time: time(now), event: $0) }
        notes.removeFirst(max(0, notes.count - Self.mostNotes))
    }

    private func time(_ now: Duration) -> Duration { max(now - started, .zero) }

    /// Creates a history that begins when the element was added; if `began` is nil, 1 s ago.
    private func history(_ now: Duration, began: Duration? = nil) -> ElementHistory {
        ElementHistory(now: max(started, began ?? now - .seconds(1)))
    }

    /// Removes drops if frames that leave do not correspond to frames that enter, as in a muxer.
    private static func withoutFalseDrops(_ reading: ElementReading) -> ElementReading {
        guard !reading.keepsFrames else { return reading }
        var reading = reading
        reading.counts.dropped = nil
        return reading
    }

    private mutating func snapshot(
        _ readings: [ElementReading], _ process: ProcessFigures, _ now: Duration, isLast: Bool
    ) -> MonitorSnapshot {
        var snapshot = MonitorSnapshot(name: name, time: time(now))
        var candidates: [BottleneckSearch.Candidate] = []
        for reading in FlowOrder.sorted(readings) {
            guard let history = elements[reading.id]?.history else { continue }
            var element = ElementSnapshot(name: reading.name, factory: reading.factory, history: history)
            element.cpu = reading.cpu
            element.cpuWait = reading.cpuWait
            element.levels = reading.levels
            element.kinds = reading.kinds
            if !reading.measuresBlocked { element.forgetBlocked() }
            candidates.append(candidate(reading, element, isLast: isLast))
            guard isShown(reading, element) else { continue }
            snapshot.elements.append(element)
        }
        let (graph, shown) = (ElementGraph(readings), Set(snapshot.elements.map(\.name)))
        for index in snapshot.elements.indices {
            // Links across hidden elements are also shown.
            snapshot.elements[index].links = graph.reachable(
                from: snapshot.elements[index].name, until: shown.contains
            ).filter(shown.contains)
        }
        snapshot.pipeline = pipeline.map { ElementSnapshot(name: Target.pipeline, factory: "", history: $0) }
        snapshot.process = process
        snapshot.alerts = book.alerts
        snapshot.targets = book.figures
        snapshot.unmatchedTargets = book.unmatched
        snapshot.history = notes
        snapshot.started = started
        // If the user selected elements, other elements and their links are unknown.
        let search = showsAll ? nil : BottleneckSearch(candidates, graph, machineCPU: process.machineCPU)
        snapshot.bottleneck = search?.find()
        let slowSource = snapshot.bottleneck == nil ? search?.findSlowSource() : nil
        // A process that lacks processors is itself late; network and source may not be at fault.
        let faults = process.isShortOfProcessors ? [] : [network(readings, isLast: isLast), slowSource]
        snapshot.findings = (faults + [showsAll ? nil : keptMemory(readings)]).compactMap { $0 }
        return snapshot
    }

    /// Memory kept after the largest stall; nil with `adaptivepool` in the pipeline, because then no pool keeps memory.
    private func keptMemory(_ readings: [ElementReading]) -> Finding? {
        guard !readings.contains(where: { $0.factory == "adaptivepool" }) else { return nil }
        let kept = readings.compactMap { reading in
            elements[reading.id]?.stall.kept.map { (queue: reading.name, bytes: $0) }
        }
        return kept.max { $0.bytes < $1.bytes }.map { Finding.keptMemory($0.bytes, queue: $0.queue) }
    }

    /// Fault of the network at the jitter buffer with the largest share of late or lost packets.
    private func network(_ readings: [ElementReading], isLast: Bool) -> Finding? {
        let faults = readings.filter { $0.isPresent || isLast }.compactMap { reading in
            elements[reading.id]?.packets.fault(sinceStart: isLast).map { (reading: reading, fault: $0) }
        }
        return faults.max { $0.fault.share < $1.fault.share }.map { reading, fault in
            Finding.network(
                isLate: fault.isLate, element: reading.name, share: fault.share, latency: reading.packetLatency)
        }
    }

    private func candidate(
        _ reading: ElementReading, _ element: ElementSnapshot, isLast: Bool
    ) -> BottleneckSearch.Candidate {
        BottleneckSearch.Candidate(
            reading: reading, framerate: elements[reading.id]?.capsRate.steady(sinceStart: isLast),
            fill: elements[reading.id]?.fill.state(sinceStart: isLast),
            figures: isLast ? element.total : element.fiveSeconds)
    }

    private mutating func isShown(_ reading: ElementReading, _ element: ElementSnapshot) -> Bool {
        if showsAll || elements[reading.id]?.isShown == true { return true }
        guard
            reading.kinds.contains(where: Self.shownKinds.contains) || isSlow(element.total)
                || reading.levels.contains(where: { Self.shownLevels.contains($0.name) })
        else { return false }
        elements[reading.id]?.isShown = true
        return true
    }

    private func isSlow(_ figures: ElementFigures) -> Bool {
        guard let mean = figures.latency.mean, let rate = figures.rate else { return false }
        return mean.inSeconds * rate >= Self.shownShare
    }
}

/// Framerate in the caps of a source, and for how long it has been constant.
struct CapsRate: Sendable {
    /// Number of readings after which the figures of the last 5 s belong to one framerate.
    private static let recentReadings = 6

    private var framerate: Double?
    private var readings = 0
    private var hasChanged = false

    /// Takes the framerate of one reading; ignores nil, because the pad may have no caps any more.
    mutating func tick(_ rate: Double?) {
        guard let rate else { return }
        if rate != framerate {
            hasChanged = framerate != nil
            (framerate, readings) = (rate, 0)
        }
        readings += 1
    }

    /// Framerate of the last 5 s, or since the start; nil if it changed in that time, or with fewer than 3 readings.
    func steady(sinceStart: Bool) -> Double? {
        let isSteady = sinceStart ? !hasChanged : !hasChanged || readings >= Self.recentReadings
        return isSteady && readings >= 3 ? framerate : nil
    }
}

enum FlowOrder {
    /// Sorts by the longest path from a source; elements at the same distance keep their order.
    ///
    /// The number of elements limits the length of a path, so the search ends even if links form a cycle.
    static func sorted(_ elements: [ElementReading]) -> [ElementReading] {
        var places: [String: Int] = [:]
        for (index, element) in elements.enumerated() { places[element.name] = index }
        var depths = [Int](repeating: 0, count: elements.count)
        // Each round corrects every path by one more link.
        for _ in elements.indices {
            var hasChanged = false
            for (index, element) in elements.enumerated() {
                for next in element.downstream.compactMap({ places[$0] }) where next != index {
                    guard depths[next] <= depths[index], depths[index] < elements.count else { continue }
                    depths[next] = depths[index] + 1
                    hasChanged = true
                }
            }
            guard hasChanged else { break }
        }
        return elements.indices.sorted { (depths[$0], $0) < (depths[$1], $1) }.map { elements[$0] }
    }
}
