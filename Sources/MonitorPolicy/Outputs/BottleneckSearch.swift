import Durations

extension PipelineBook {
    /// Finds the bottleneck of a pipeline, if the figures show exactly one, or a source that is slow by itself.
    struct BottleneckSearch {
        struct Candidate {
            let reading: ElementReading
            /// Frames per second in the caps of a source; nil without caps.
            let framerate: Double?
            let fill: QueueFill.State?
            let figures: ElementFigures

            var name: String { reading.name }
            var isQueue: Bool { reading.kinds.contains("queue") }

            /// Share of the time spent on frames; nil if unknown, or if the element holds frames or has its own thread.
            var busy: Double? {
                guard let mean = figures.latency.mean, let rate = figures.rate, (figures.latency.coverage ?? 0) > 0.5,
                    !reading.hasOwnThread, (figures.held ?? 0) < 0.5
                else { return nil }
                let frames = mean.inSeconds * rate
                return frames <= 1.2 ? frames : nil
            }

            /// Whether the element is a queue that discards at least `droppedShare` of its frames.
            var drops: Bool {
                guard isQueue, let dropped = figures.dropped, dropped > 0 else { return false }
                return Double(dropped) >= BottleneckSearch.droppedShare * Double(figures.framesIn)
            }

            /// Whether the element is a queue that is full or discards frames; a removed queue has no links.
            var isCrowded: Bool { isQueue && !reading.downstream.isEmpty && (fill == .full || drops) }
        }

        /// A queue is crowded if it discards at least this share of its frames.
        private static let droppedShare = 0.05
        /// An element limits the rate if it is busy for at least this share of the time.
        private static let busyShare = 0.8
        /// The elements upstream of a sink are fast if they are busy for at most this share of the time.
        private static let fastShare = 0.3
        /// A source is slow if its rate is below this share of the framerate in its caps.
        private static let steadyShare = 0.9
        /// The wait of an element for a processor matters if it is longer than this share of its busy time.
        private static let starvedShare = 0.5
        /// An element that uses at least this share of the busy processors waits because of its own load.
        private static let ownShare = 0.75

        private let elements: [Candidate]
        private let byName: [String: Candidate]
        /// Names of the elements directly upstream of each element.
        private var inputs: [String: Set<String>] = [:]
        private let graph: ElementGraph
        private let machineCPU: Double?

        /// Creates a search; `machineCPU` is the number of processors that all programs keep busy.
        init(_ elements: [Candidate], _ graph: ElementGraph, machineCPU: Double?) {
            self.elements = elements
            self.graph = graph
            self.machineCPU = machineCPU
            byName = Dictionary(elements.map { ($0.name, $0) }, uniquingKeysWith: { one, _ in one })
            for element in elements {
                for next in element.reading.downstream { inputs[next, default: []].insert(element.name) }
            }
        }

        /// Returns the bottleneck; nil if there is none or several, or if the figures do not show it.
        func find() -> Bottleneck? {
            let crowded = elements.filter(\.isCrowded)
            let last = crowded.filter { queue in
                let names = Set(reachable(from: queue.name, until: { _ in false }).map(\.name))
                return !crowded.contains { $0.name != queue.name && names.contains($0.name) }
            }.filter { !waitsForOtherInput(behind: $0) }
            guard last.count == 1, let queue = last.first, !waitsForClock(behind: queue) else { return nil }
            return find(in: part(behind: queue), behind: queue)
        }

        /// Returns a source that is slower than its caps although no downstream element blocks it; nil without one.
        func findSlowSource() -> Finding? {
            for source in elements {
                guard let framerate = source.framerate, let rate = source.figures.rate,
                    rate < Self.steadyShare * framerate
                else { continue }
                let (part, ends) = (part(behind: source), ends(behind: source))
                // The latency of a sink is not measured, so a sink may block the source.
                guard !ends.isEmpty, ends.allSatisfy({ $0.fill == .low }), !isStarved(source, during: 1),
                    part.allSatisfy({ !$0.reading.isSink && !$0.reading.waitsForClock && $0.busy != nil }),
                    part.reduce(0, { $0 + ($1.busy ?? 0) }) <= Self.fastShare
                else { continue }
                return .slowSource(source.name, rate: rate, framerate: framerate, queues: ends.map(\.name))
            }
            return nil
        }

        private func find(in part: [Candidate], behind queue: Candidate) -> Bottleneck? {
            let inner = part.filter { !$0.reading.isSink }
            let busy = inner.filter { ($0.busy ?? 0) >= Self.busyShare }
            if let busiest = busy.first {
                // One thread cannot be busy with two elements. An element that lacks a processor may be fast itself.
                guard busy.count == 1, !isStarved(busiest, during: busiest.busy) else { return nil }
                return Bottleneck(
                    kind: .element, elements: [busiest.name], queue: queue.name, queueDrops: queue.drops,
                    latency: busiest.figures.latency.mean, rate: busiest.figures.rate)
            }
            // A queue at the end of the part may block the part, unless that queue is nearly empty.
            guard !part.isEmpty, ends(behind: queue).allSatisfy({ $0.fill == .low }),
                !part.contains(where: { isStarved($0, during: 1) })
            else { return nil }
            let sum = inner.reduce(0) { $0 + ($1.busy ?? 0) }
            let isKnown = inner.allSatisfy { $0.busy != nil }
            if isKnown, sum <= Self.fastShare {
                let sinks = part.filter(\.reading.isSink)
                guard sinks.count == 1, let sink = sinks.first else { return nil }
                return Bottleneck(
                    kind: .sink, elements: [sink.name], queue: queue.name, queueDrops: queue.drops,
                    rate: sink.figures.rate)
            }
            guard !isKnown || sum >= Self.busyShare else { return nil }
            return Bottleneck(kind: .part, elements: part.map(\.name), queue: queue.name, queueDrops: queue.drops)
        }

        /// Whether an element lacks a processor for much of its busy time, mainly because of other load.
        private func isStarved(_ element: Candidate, during busy: Double?) -> Bool {
            let wanted = max(min(busy ?? 1, 1), element.reading.cpu ?? 0)
            guard let wait = element.reading.cpuWait, wait > Self.starvedShare * wanted else { return false }
            guard let machineCPU, let cpu = element.reading.cpu else { return true }
            return cpu < Self.ownShare * machineCPU
        }

        // MARK: Links

        /// Elements downstream of a queue or of a source, up to the next queues.
        private func part(behind queue: Candidate) -> [Candidate] {
            reachable(from: queue.name, until: \.isQueue).filter { !$0.isQueue }
        }

        private func ends(behind queue: Candidate) -> [Candidate] {
            reachable(from: queue.name, until: \.isQueue).filter(\.isQueue)
        }

        /// Whether an element downstream of a queue, such as a muxer, may wait for an input other than a full queue.
        ///
        /// Such a wait fills the queue.
        private func waitsForOtherInput(behind queue: Candidate) -> Bool {
            let part = part(behind: queue).map(\.name)
            let names = Set(part + [queue.name])
            return part.contains { name in
                (inputs[name] ?? []).contains { !names.contains($0) && byName[$0]?.fill != .full }
            }
        }

        /// Whether an element downstream waits for the clock; nearly empty queues, which never block, end the search.
        private func waitsForClock(behind queue: Candidate) -> Bool {
            reachable(from: queue.name, until: { $0.isQueue && $0.fill == .low }).contains(
                where: \.reading.waitsForClock)
        }

        /// Elements downstream of `name`, nearest first, up to and including those for which `isEnd` is true.
        private func reachable(from name: String, until isEnd: (Candidate) -> Bool) -> [Candidate] {
            graph.reachable(from: name) { byName[$0].map(isEnd) ?? true }.compactMap { byName[$0] }
        }
    }
}
