/// Latencies that were measured, and the number of frames whose latency is unknown.
public struct LatencyCounts: Sendable, Equatable {
    /// Measured latencies.
    public var histogram: LatencyHistogram
    /// Number of frames without a known origin.
    public var unknown: UInt64

    /// Creates counts; without arguments, empty ones.
    public init(histogram: LatencyHistogram = LatencyHistogram(), unknown: UInt64 = 0) {
        self.histogram = histogram
        self.unknown = unknown
    }

    /// Share of the frames whose latency is known, 0 to 1; nil without frames.
    ///
    /// Below 1 the figures describe a part of the frames.
    public var coverage: Double? {
        let asked = Double(histogram.count) + Double(unknown)
        return asked > 0 ? Double(histogram.count) / asked : nil
    }

    /// Adds the counts of another recorder, such as another pad of the element.
    public static func += (one: inout Self, other: Self) {
        one.histogram += other.histogram
        one.unknown &+= other.unknown
    }
}
