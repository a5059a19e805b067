/// Packets of a jitter buffer in the last 5 s, and since the start.
struct PacketHistory: Sendable {
    /// Counts since the start.
    private struct Counts {
        var pushed = 0.0
        /// Packets that were not there in time, also those that came later.
        var lost = 0.0
        /// Those that came later.
        var late = 0.0
    }

    /// Share of the packets from which a network is at fault: one in a hundred damages about one picture in thirty.
    private static let faultyShare = 0.01
    /// Fewer missing packets are a single event.
    private static let fewest = 5.0
    /// Readings of the last 5 s, and the one before.
    private static let recentReadings = 6

    private var recent: [Counts] = []

    /// Takes the levels of one reading; an element that is no jitter buffer has none of these.
    mutating func tick(_ levels: [ElementSnapshot.Level]) {
        func count(_ name: String) -> Double? { levels.first { $0.name == name }?.value }
        guard let pushed = count("num-pushed"), let lost = count("num-lost"), let late = count("num-late") else {
            return
        }
        if recent.isEmpty { recent.append(Counts()) }
        if recent.count == Self.recentReadings { recent.removeFirst() }
        recent.append(Counts(pushed: pushed, lost: lost, late: late))
    }

    /// The fault of the network, and its share of the packets; nil if there is none.
    func fault(sinceStart: Bool) -> (kind: NetworkFault.Kind, share: Double)? {
        guard let end = recent.last, let first = recent.first else { return nil }
        let start = sinceStart ? Counts() : first
        // A duplicate of a packet that was pushed before counts as late, too, but not as lost.
        let lost = max(end.lost - start.lost, 0)
        let late = min(max(end.late - start.late, 0), lost)
        let missing = lost - late
        let all = end.pushed - start.pushed + missing + late
        let most = max(late, missing)
        guard most >= Self.fewest, most >= Self.faultyShare * all else { return nil }
        return (late > missing ? .late : .lossy, most / all)
    }
}
