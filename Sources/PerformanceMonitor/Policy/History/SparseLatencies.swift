/// Latencies of a short time: only the bins that are not empty.
struct SparseLatencies: Sendable {
    private var bins: [(bin: UInt16, count: UInt64)] = []
    private var sum: UInt64 = 0
    private var unknown: UInt64 = 0

    init() {}

    /// Takes the difference of two readings of one recorder.
    ///
    /// A count that fell, which only two writers at once can cause, has the difference 0.
    init(from before: LatencyCounts, to after: LatencyCounts) {
        for bin in 0..<LatencyBins.count {
            let (old, new) = (before.histogram.count(inBin: bin), after.histogram.count(inBin: bin))
            if new > old { bins.append((UInt16(truncatingIfNeeded: bin), new - old)) }
        }
        sum = after.histogram.sum &- before.histogram.sum
        unknown = after.unknown > before.unknown ? after.unknown - before.unknown : 0
    }

    func add(to counts: inout LatencyCounts) {
        for (bin, count) in bins { counts.histogram.add(count, toBin: Int(bin)) }
        counts.histogram.extend(sum: sum, longest: bins.last.map { LatencyBins.upperBound(of: Int($0.bin)) } ?? 0)
        counts.unknown &+= unknown
    }
}
