/// Layout of a `DurationHistogram`: 32 bins per power of two, from 0 ns to 68.7 s.
///
/// Source: the log-linear integer layout of HdrHistogram, with a leading-zero count and a shift. Each duration below 64
/// ns has its own bin. Longer durations are within 1.6 % of the middle of their bin.
public enum DurationBins {
    /// Number of bins: 32 for 0 to 31 ns, and 32 for each of the 31 powers of two from 2^5 to 2^35 ns.
    public static let count = 1024
    /// The longest duration in nanoseconds that has a bin; longer durations are counted in the last bin.
    public static let longest: UInt64 = (1 << 36) - 1

    /// Bin of a duration.
    @inlinable
    public static func bin(of nanoseconds: UInt64) -> Int {
        let value = min(nanoseconds, longest)
        guard value >= 32 else { return Int(truncatingIfNeeded: value) }
        let shift = 58 &- value.leadingZeroBitCount
        return (shift &* 32) &+ Int(truncatingIfNeeded: value &>> UInt64(truncatingIfNeeded: shift))
    }

    /// Shortest duration of a bin in nanoseconds.
    public static func lowerBound(of bin: Int) -> UInt64 {
        let bin = min(max(bin, 0), count)
        guard bin >= 64 else { return UInt64(bin) }
        return UInt64(32 + (bin % 32)) << UInt64((bin / 32) - 1)
    }

    /// Longest duration of a bin in nanoseconds.
    public static func upperBound(of bin: Int) -> UInt64 { lowerBound(of: bin + 1) - 1 }

    /// Middle of a bin in nanoseconds.
    public static func middle(of bin: Int) -> UInt64 {
        let lower = lowerBound(of: bin)
        return lower + ((upperBound(of: bin) - lower) / 2)
    }
}
