/// Histogram of durations with the bins of `DurationBins`; `+=` merges two histograms.
///
/// The struct of 6 KB contains the bins, so neither adding nor copying allocates memory.
public struct DurationHistogram: Sendable, Equatable {
    // Each count has 48 bits, stored in two parts. Counts of 64 bits would take 2 KB more.
    @usableFromInline var low = [1024 of UInt32](repeating: 0)
    @usableFromInline var high = [1024 of UInt16](repeating: 0)
    /// Number of durations.
    public private(set) var count: UInt64 = 0
    private var sumNanoseconds: UInt64 = 0
    private var longestNanoseconds: UInt64 = 0

    /// Creates an empty histogram.
    public init() {}

    /// Sum of all durations; wraps around at 584 years.
    public var sum: Duration { .nanoseconds(sumNanoseconds) }

    /// The longest duration; zero if the histogram is empty.
    public var longest: Duration { .nanoseconds(longestNanoseconds) }

    /// Mean duration; nil if the histogram is empty.
    public var mean: Duration? { count > 0 ? .nanoseconds(sumNanoseconds / count) : nil }

    /// Number of durations in a bin of `DurationBins`.
    @inlinable
    public func count(inBin bin: Int) -> UInt64 {
        guard bin >= 0, bin < DurationBins.count else { return 0 }
        // A subscript of the array itself would copy the array.
        return (UInt64(high.span[bin]) << 32) | UInt64(low.span[bin])
    }

    // MARK: Adding

    /// Counts a duration, clamped to 0 and to 584 years, `times` times; `times` is greater than 1 for sampled events.
    public mutating func add(_ duration: Duration, times: UInt64 = 1) {
        let nanoseconds = UInt64(nanosecondsOf: duration)
        raise(DurationBins.bin(of: nanoseconds), by: times)
        sumNanoseconds &+= nanoseconds &* times
        longestNanoseconds = max(longestNanoseconds, nanoseconds)
    }

    /// Counts `times` durations in a bin, and ignores an invalid bin; call `extend` for their sum and longest duration.
    public mutating func add(_ times: UInt64, toBin bin: Int) {
        if bin >= 0, bin < DurationBins.count { raise(bin, by: times) }
    }

    /// Adds the sum and the longest duration of durations that were counted with `add(_:toBin:)`.
    public mutating func extend(sum: Duration, longest: Duration) {
        sumNanoseconds &+= UInt64(nanosecondsOf: sum)
        longestNanoseconds = max(longestNanoseconds, UInt64(nanosecondsOf: longest))
    }

    /// Adds all durations of another histogram.
    public static func += (one: inout Self, other: Self) {
        for bin in 0..<DurationBins.count { one.raise(bin, by: other.count(inBin: bin)) }
        one.sumNanoseconds &+= other.sumNanoseconds
        one.longestNanoseconds = max(one.longestNanoseconds, other.longestNanoseconds)
    }

    @inline(__always)
    private mutating func raise(_ bin: Int, by times: UInt64) {
        let (sum, overflows) = low[bin].addingReportingOverflow(UInt32(truncatingIfNeeded: times))
        low[bin] = sum
        if overflows { high[bin] &+= 1 }
        if times > UInt64(UInt32.max) { high[bin] &+= UInt16(truncatingIfNeeded: times >> 32) }
        count &+= times
    }

    // MARK: Reading

    /// The duration that a share of all durations does not exceed, with an error of up to 1.6 %; 0.95 gives P95.
    ///
    /// The rank of the result is `count` times `share`, rounded up (nearest rank). The result is nil if this is the
    /// rank of the longest duration. P95 therefore requires 20 durations, and P99 requires 100. Durations above 68.7 s
    /// share a bin and count as `longest`.
    public func quantile(_ share: Double) -> Duration? {
        guard share >= 0, share < 1, Double(count) * (1 - share) + 1e-9 >= 1 else { return nil }
        let rank = max(1, (Double(count) * share - 1e-9).rounded(.up))
        var seen = 0.0
        for bin in 0..<DurationBins.count {
            seen += Double(count(inBin: bin))
            if seen >= rank { return .nanoseconds(value(of: bin)) }
        }
        return longest
    }

    /// Representative duration of a bin in nanoseconds.
    private func value(of bin: Int) -> UInt64 {
        let isOpen = bin == DurationBins.count - 1 && longestNanoseconds > DurationBins.longest
        return isOpen ? longestNanoseconds : min(DurationBins.middle(of: bin), longestNanoseconds)
    }

    /// Share, from 0 to 1, of the durations up to `limit`; nil if the histogram is empty.
    ///
    /// Durations in the bin that contains `limit` count in proportion to its part below the limit.
    public func share(within limit: Duration) -> Double? {
        guard count > 0 else { return nil }
        let limit = UInt64(nanosecondsOf: limit)
        guard limit < longestNanoseconds else { return 1 }
        let last = DurationBins.bin(of: limit)
        var within = 0.0
        for bin in 0..<last { within += Double(count(inBin: bin)) }
        let lower = DurationBins.lowerBound(of: last)
        let width = Double(DurationBins.upperBound(of: last) - lower + 1)
        within += Double(count(inBin: last)) * min(1, (Double(limit - lower) + 1) / width)
        return within / Double(count)
    }

    /// Whether both histograms have equal counts, sums and longest durations.
    public static func == (one: Self, other: Self) -> Bool {
        guard
            (one.count, one.sumNanoseconds, one.longestNanoseconds)
                == (other.count, other.sumNanoseconds, other.longestNanoseconds)
        else { return false }
        return (0..<DurationBins.count).allSatisfy { one.count(inBin: $0) == other.count(inBin: $0) }
    }
}
