/// Figures of one limit at one time, for outputs.
struct TargetFigures: Sendable, Equatable {
    /// Name of the element, or `pipeline`.
    var element: String
    /// Metric that is limited.
    var metric: Metric
    /// Limit of the target, in the unit of the metric.
    var target: Double
    /// Value in the long window; nil if it is unknown.
    var value: Double?
    /// Value in the short window; nil if it is unknown.
    var recent: Double?
    /// Share of the frames within the limit in the long window; nil without frames and for other metrics.
    var compliance: Double?
    /// Number of frames, or of samples, in the long window.
    var samples: UInt64
    /// Severity of the active alert; nil without an alert.
    var severity: Severity?
}
