/// Figures of one limit at one time, for outputs.
public struct TargetFigures: Sendable, Equatable {
    /// Name of the element, or `pipeline`.
    public var element: String
    /// Metric that is limited.
    public var metric: Metric
    /// Limit of the target, in the unit of the metric.
    public var target: Double
    /// Value in the long window; nil without enough frames.
    public var value: Double?
    /// Value in the short window; nil without enough frames.
    public var recent: Double?
    /// Share of the frames within the limit in the long window; nil for metrics other than latencies.
    public var compliance: Double?
    /// Number of frames, or of samples, in the long window.
    public var samples: UInt64
    /// Severity of the active alert; nil without an alert.
    public var severity: Severity?
}
