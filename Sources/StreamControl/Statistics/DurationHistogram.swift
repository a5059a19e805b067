/// Counts durations so that percentiles can be read, in memory that does not grow.
///
/// Sixteen bins to each doubling: a percentile is at most 6 % above the true one. From 1 microsecond to 1 hour.
public struct DurationHistogram: Sendable {
    private static let doublings = 28
    private var bins = [UInt64](repeating: 0, count: 16 * (Self.doublings + 1))
    public private(set) var count: UInt64 = 0

    public init() {}

    public mutating func add(nanoseconds: UInt64) {
        bins[Self.bin(nanoseconds >> 10)] &+= 1
        count &+= 1
    }

    /// The duration in nanoseconds that `part` of all did not exceed, 0.99 for 99 %; 0 while there are none.
    public func percentile(_ part: Double) -> UInt64 {
        guard count > 0 else { return 0 }
        let wanted = max(1, UInt64((Double(count) * min(max(part, 0), 1)).rounded(.up)))
        var seen: UInt64 = 0
        for (index, bin) in bins.enumerated() {
            seen += bin
            if seen >= wanted { return (Self.upperBound(index) + 1) << 10 }
        }
        return 0
    }

    private static func bin(_ value: UInt64) -> Int {
        guard value >= 16 else { return Int(value) }
        let exponent = 63 - value.leadingZeroBitCount
        let bin = ((exponent - 3) * 16) + Int((value >> (exponent - 4)) & 15)
        return min(bin, 16 * (doublings + 1) - 1)
    }

    private static func upperBound(_ bin: Int) -> UInt64 {
        guard bin >= 16 else { return UInt64(bin) }
        let exponent = bin / 16 + 3
        return ((UInt64(16 + (bin % 16)) + 1) << (exponent - 4)) - 1
    }
}
