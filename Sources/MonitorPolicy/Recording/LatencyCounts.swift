import Durations

/// Histogram of latencies without empty bins, and the number of frames whose latency is unknown.
///
/// The counts are those since the start, of one tick, or of a window.
public struct LatencyCounts: Sendable, Equatable {
    private struct Bin: Sendable, Equatable {
        let number: UInt16
        let count: UInt64
    }

    // Bins of `DurationBins`, in rising order.
    private var bins: [Bin] = []
    private var sum = Duration.zero
    private var longest = Duration.zero
    /// Number of frames whose latency is unknown.
    public private(set) var unknown: UInt64 = 0

    /// Creates empty counts.
    public init() {}

    /// Creates counts of measured latencies.
    public init(histogram: DurationHistogram, unknown: UInt64 = 0) {
        bins = (0..<DurationBins.count).compactMap { number in
            let count = histogram.count(inBin: number)
            return count > 0 ? Bin(number: UInt16(truncatingIfNeeded: number), count: count) : nil
        }
        (sum, longest) = (histogram.sum, histogram.longest)
        self.unknown = unknown
    }

    /// Number of measured latencies.
    var count: UInt64 { bins.reduce(0) { $0 &+ $1.count } }

    /// Measured latencies.
    public var histogram: DurationHistogram { Self.histogram(of: [self]) }

    /// Share of the frames whose latency is known, 0 to 1; nil without frames.
    public var coverage: Double? {
        let known = Double(count)
        let asked = known + Double(unknown)
        return asked > 0 ? known / asked : nil
    }

    /// Adds the counts of pads, of sinks or of ticks.
    static func sum(_ parts: [Self]) -> Self {
        Self(histogram: histogram(of: parts), unknown: parts.reduce(0) { $0 &+ $1.unknown })
    }

    private static func histogram(of parts: [Self]) -> DurationHistogram {
        var histogram = DurationHistogram()
        for part in parts {
            for bin in part.bins { histogram.add(bin.count, toBin: Int(bin.number)) }
            histogram.extend(sum: part.sum, longest: part.longest)
        }
        return histogram
    }

    /// The increase since `before`; 0 for a count that fell, which only two concurrent writers can cause.
    ///
    /// Only the bin of the longest latency of the difference is known, so the upper bound of this bin is used.
    static func - (after: Self, before: Self) -> Self {
        let old = before.histogram
        var rise = Self()
        rise.unknown = after.unknown - min(after.unknown, before.unknown)
        rise.bins = after.bins.compactMap { bin in
            let known = old.count(inBin: Int(bin.number))
            return bin.count > known ? Bin(number: bin.number, count: bin.count - known) : nil
        }
        rise.sum = max(after.sum - before.sum, .zero)
        rise.longest = rise.bins.last.map { Duration.nanoseconds(DurationBins.upperBound(of: Int($0.number))) } ?? .zero
        return rise
    }
}
