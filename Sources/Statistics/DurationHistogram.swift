import Durations

/// Counts durations in bins, from which it computes percentiles.
///
/// Each power of two of nanoseconds has 16 bins, so a percentile is at most 1/16 above the true one; durations below
/// 32 ns are exact. The bins are stored inside the struct, so neither adding nor copying allocates memory.
public struct DurationHistogram: Sendable {
    // 16 bins for 0 to 15 ns, and 16 for each of the 60 powers of two from 2^4 to 2^63 ns.
    private var bins = [976 of UInt64](repeating: 0)
    /// Number of durations that were counted.
    public private(set) var count: UInt64 = 0
    private var longestNanoseconds: UInt64 = 0

    /// An empty histogram.
    public init() {}

    /// Counts a duration `times` times; a caller that times only some events passes the number that each represents.
    ///
    /// A negative duration counts as zero, and one of more than 584 years as 584 years.
    public mutating func add(_ duration: Duration, times: UInt64 = 1) {
        add(nanoseconds: UInt64(nanosecondsOf: duration), times: times)
    }

    private mutating func add(nanoseconds: UInt64, times: UInt64) {
        bins[Self.bin(of: nanoseconds)] &+= times
        count &+= times
        longestNanoseconds = max(longestNanoseconds, nanoseconds)
    }

    /// The longest duration that was counted; zero when empty.
    public var longest: Duration { .nanoseconds(longestNanoseconds) }

    /// The duration that a share of all durations does not exceed, 0.99 for the 99th percentile; zero when empty.
    ///
    /// A share outside 0...1 is clamped; NaN counts as 0.
    public func percentile(_ share: Double) -> Duration {
        let wanted = max(1, Double(count) * share)
        var seen = 0.0
        for index in bins.indices where bins[index] > 0 {
            seen += Double(bins[index])
            if seen >= wanted { return .nanoseconds(min(Self.upperBound(of: index), longestNanoseconds)) }
        }
        return longest
    }

    private static func bin(of nanoseconds: UInt64) -> Int {
        guard nanoseconds >= 16 else { return Int(nanoseconds) }
        let power = 63 - nanoseconds.leadingZeroBitCount
        return ((power - 3) * 16) + Int((nanoseconds >> (power - 4)) & 15)
    }

    /// The longest duration in a bin.
    private static func upperBound(of bin: Int) -> UInt64 {
        guard bin >= 16 else { return UInt64(bin) }
        let (power, part) = (UInt64(bin / 16 + 3), UInt64(bin % 16))
        return ((16 + part) << (power - 4)) + ((1 << (power - 4)) - 1)
    }
}
