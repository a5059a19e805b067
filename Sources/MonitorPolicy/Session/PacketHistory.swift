extension PipelineBook {
    /// Packets of a jitter buffer in the last 5 s, and since the monitor began to watch the jitter buffer.
    struct PacketHistory: Sendable {
        /// Counts of the element, which may have begun before the monitor.
        private struct Counts {
            var pushed = 0.0
            /// Packets that did not arrive in time, including late ones.
            var lost = 0.0
            /// Packets that arrived late.
            var late = 0.0
        }

        /// The network is at fault if at least this share of packets is late or lost; 1 % damages about 1 of 30 frames.
        private static let faultyShare = 0.01
        /// Minimum number of late or lost packets that is a fault; fewer packets are a single event.
        private static let fewest = 5.0
        /// Number of kept readings: those of the last 5 s, and the reading before them.
        private static let recentReadings = 6

        private var recent: [Counts] = []
        /// The counts when the monitor began to watch the element.
        private var base = Counts()

        /// Takes the levels of one reading; ignores elements that are no jitter buffers.
        ///
        /// `framesOut` is the number of packets that left since the monitor began, read after the levels.
        mutating func tick(_ levels: [ElementSnapshot.Level], framesOut: UInt64) {
            func count(_ name: String) -> Double? { levels.first { $0.name == name }?.value }
            guard let pushed = count("num-pushed"), let lost = count("num-lost"), let late = count("num-late") else {
                return
            }
            let counts = Counts(pushed: pushed, lost: lost, late: late)
            if recent.isEmpty {
                // The element counts a packet immediately before it leaves.
                if pushed > Double(framesOut) + 1 { base = counts }
                recent.append(base)
            }
            if recent.count == Self.recentReadings { recent.removeFirst() }
            recent.append(counts)
        }

        /// Whether packets are late rather than lost, and the share of these packets; nil if the network has no fault.
        func fault(sinceStart: Bool) -> (isLate: Bool, share: Double)? {
            guard let end = recent.last, let first = recent.first else { return nil }
            let start = sinceStart ? base : first
            // A duplicate of a pushed packet also counts as late, but not as lost.
            let lost = max(end.lost - start.lost, 0)
            let late = min(max(end.late - start.late, 0), lost)
            let missing = lost - late
            let all = end.pushed - start.pushed + missing + late
            let most = max(late, missing)
            guard most >= Self.fewest, most >= Self.faultyShare * all else { return nil }
            return (late > missing, most / all)
        }
    }
}
