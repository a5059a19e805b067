import Durations

/// Percentiles, maximum, mean, number and coverage of latencies.
public struct LatencyFigures: Sendable, Equatable {
    /// Median; nil with fewer than 2 frames.
    public var p50: Duration?
    /// 95th percentile; nil with fewer than 20 frames.
    public var p95: Duration?
    /// 99th percentile; nil with fewer than 100 frames.
    public var p99: Duration?
    /// Longest latency; nil without frames.
    public var longest: Duration?
    /// Mean latency; nil without frames.
    var mean: Duration?
    /// Number of frames measured.
    public var count: UInt64
    /// Share of the frames that were measured, 0 to 1; nil without frames.
    public var coverage: Double?

    /// Computes the figures of counts.
    init(_ counts: LatencyCounts) {
        let histogram = counts.histogram
        p50 = histogram.quantile(0.5)
        p95 = histogram.quantile(0.95)
        p99 = histogram.quantile(0.99)
        count = histogram.count
        longest = count > 0 ? histogram.longest : nil
        mean = histogram.mean
        coverage = counts.coverage
    }
}
