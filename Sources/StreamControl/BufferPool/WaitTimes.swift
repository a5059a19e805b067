/// How long things took, counted in classes that are a quarter of a power of two wide.
///
/// It takes no memory but its own, so a streaming thread may count with it. A percentile is at most a quarter too high.
public struct WaitTimes: Sendable {
    // 64 powers of two of nanoseconds, in quarters; an InlineArray lives inside the struct.
    private var classes = [256 of UInt32](repeating: 0)
    public private(set) var count: UInt64 = 0
    public private(set) var longestNanoseconds: UInt64 = 0

    public init() {}

    /// Counts something that took so long, and stands for `times` of its kind.
    public mutating func took(nanoseconds: UInt64, times: UInt32 = 1) {
        let index = Self.index(of: nanoseconds)
        let (sum, isTooMuch) = classes[index].addingReportingOverflow(times)
        classes[index] = isTooMuch ? .max : sum
        count &+= UInt64(times)
        longestNanoseconds = max(longestNanoseconds, nanoseconds)
    }

    /// The time that `share` of all did not exceed, or 0 when there were none.
    public func percentile(_ share: Double) -> UInt64 {
        let wanted = Double(count) * share
        var seen = 0.0
        for index in classes.indices where classes[index] > 0 {
            seen += Double(classes[index])
            if seen >= wanted { return min(Self.end(of: index), longestNanoseconds) }
        }
        return longestNanoseconds
    }

    private static func index(of nanoseconds: UInt64) -> Int {
        guard nanoseconds >= 4 else { return Int(nanoseconds) }
        let power = 63 - nanoseconds.leadingZeroBitCount
        return (power * 4) + Int((nanoseconds >> (power - 2)) & 3)
    }

    private static func end(of index: Int) -> UInt64 {
        guard index >= 8 else { return UInt64(index) }
        let (power, quarter) = (UInt64(index / 4), UInt64(index % 4))
        return ((4 + quarter) << (power - 2)) + ((1 << (power - 2)) - 1)
    }
}
