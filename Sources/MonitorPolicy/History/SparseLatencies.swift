import Durations

/// Latencies of a short time: only the bins that are not empty.
struct SparseLatencies: Sendable {
    private var bins: [(bin: UInt16, count: UInt64)] = []
    private var sum = Duration.zero
    private var unknown: UInt64 = 0

    init() {}

    /// Takes the difference of two readings of one recorder.
    ///
    /// A count that fell, which only two writers at once can cause, has the difference 0.
    init(from before: LatencyCounts, to after: LatencyCounts) {
        let (earlier, later) = (before.histogram, after.histogram)
        for bin in 0..<DurationBins.count {
            let (old, new) = (earlier.count(inBin: bin), later.count(inBin: bin))
            if new > old { bins.append((UInt16(truncatingIfNeeded: bin), new - old)) }
        }
        sum = max(later.sum - earlier.sum, .zero)
        unknown = after.unknown > before.unknown ? after.unknown - before.unknown : 0
    }

    func add(to counts: inout LatencyCounts) {
        counts.unknown &+= unknown
        guard !bins.isEmpty || sum > .zero else { return }
        for (bin, count) in bins { counts.histogram.add(count, toBin: Int(bin)) }
        let longest = bins.last.map { DurationBins.upperBound(of: Int($0.bin)) } ?? 0
        counts.histogram.extend(sum: sum, longest: .nanoseconds(longest))
    }
}
