/// Histogram of latencies with the bins of `LatencyBins`; merging is addition.
public struct LatencyHistogram: Sendable, Equatable {
    private var bins: [UInt64]
    /// Number of latencies.
    public private(set) var count: UInt64
    /// Sum of all latencies, in nanoseconds; it wraps around.
    public private(set) var sum: UInt64
    /// The longest latency in nanoseconds, exact since the start and to the width of a bin in a window.
    public private(set) var longest: UInt64

    /// Creates an empty histogram.
    public init() { self.init(bins: [], sum: 0, longest: 0) }

    /// Creates a histogram of counters in the order of `LatencyBins`; missing ones are 0.
    init(bins: [UInt64], sum: UInt64, longest: UInt64) {
        self.bins = bins
        self.sum = sum
        self.longest = longest
        count = bins.reduce(0, &+)
    }

    /// Number of latencies in a bin of `LatencyBins`.
    public func count(inBin bin: Int) -> UInt64 { bins.indices.contains(bin) ? bins[bin] : 0 }

    /// Counts a latency `times` times.
    public mutating func add(_ nanoseconds: UInt64, times: UInt64 = 1) {
        add(times, toBin: LatencyBins.bin(of: nanoseconds))
        sum &+= nanoseconds &* times
        longest = max(longest, nanoseconds)
    }

    /// Adds all latencies of another histogram.
    public static func += (one: inout Self, other: Self) {
        for bin in other.bins.indices where other.bins[bin] > 0 { one.add(other.bins[bin], toBin: bin) }
        one.sum &+= other.sum
        one.longest = max(one.longest, other.longest)
    }

    /// The latency that a share of all frames does not exceed, 0.95 for P95, in nanoseconds and within 1.6 %.
    ///
    /// The rank is the nearest one, `count` times `share` rounded up. The result is nil if fewer than one frame lies
    /// beyond the quantile: P95 requires 20 frames, P99 requires 100.
    public func quantile(_ share: Double) -> UInt64? {
        guard share >= 0, share < 1, Double(count) * (1 - share) + 1e-9 >= 1 else { return nil }
        let rank = max(1, (Double(count) * share - 1e-9).rounded(.up))
        var seen = 0.0
        for bin in bins.indices where bins[bin] > 0 {
            seen += Double(bins[bin])
            if seen >= rank { return min(LatencyBins.middle(of: bin), longest) }
        }
        return longest
    }

    /// Share of the frames that take at most `limit` nanoseconds, 0 to 1; nil without frames.
    ///
    /// The frames in the bin of the limit are divided in proportion.
    public func share(within limit: UInt64) -> Double? {
        guard count > 0 else { return nil }
        guard limit < longest else { return 1 }
        let last = LatencyBins.bin(of: limit)
        var within = 0.0
        for bin in bins.indices where bin < last { within += Double(bins[bin]) }
        let lower = LatencyBins.lowerBound(of: last)
        let width = Double(LatencyBins.upperBound(of: last) - lower + 1)
        within += Double(count(inBin: last)) * min(1, (Double(limit - lower) + 1) / width)
        return within / Double(count)
    }

    /// Adds to the sum, and raises the longest latency.
    mutating func extend(sum more: UInt64, longest candidate: UInt64) {
        sum &+= more
        longest = max(longest, candidate)
    }

    mutating func add(_ times: UInt64, toBin bin: Int) {
        if bins.count <= bin { bins += [UInt64](repeating: 0, count: LatencyBins.count - bins.count) }
        bins[bin] &+= times
        count &+= times
    }
}
