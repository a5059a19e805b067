import MachineState

/// Limits for the figures of one element, of several elements, or of the pipeline.
public struct Target: Sendable, Equatable {
    /// Limit of one metric.
    struct Limit: Sendable, Equatable {
        /// The metric.
        var metric: Metric
        /// Limit in the unit of the metric: seconds, frames per second, bytes, watts, or a share.
        var value: Double
    }

    /// A lower rate to fall back to when the target is missed.
    public enum Tier: Sendable, Equatable {
        /// Frames per second.
        case rate(Double)
        /// The work is skipped, so no frames pass.
        case off
    }

    /// Name of the target that watches the whole pipeline and its process.
    public static let pipeline = "pipeline"

    /// Name, factory or kind of the watched elements, or `pipeline`; `*` matches any characters, `?` one character.
    public var name: String
    /// Limits in the order of the text.
    var limits: [Limit] = []
    /// Lower rates, best first.
    var tiers: [Tier] = []
    /// Length of the short window; the long window is twelve times as long.
    ///
    /// Windows of 5 s and 60 s suit ten frames per second. Fewer frames require longer windows for enough samples.
    var window = Duration.seconds(5)
    /// Minimum number of frames in the long window for an alert; memory and energy require 5 samples.
    var samples: UInt64 = 50
    /// Relative excess over the limit up to which a frame is compliant, so that noise raises no alert.
    var tolerance = 0.1
    /// Thresholds above which alerts are raised.
    var thresholds = Thresholds()

    /// Creates a target without limits.
    public init(name: String) { self.name = name }

    /// Whether the target watches the whole pipeline.
    var isPipeline: Bool { name == Self.pipeline }

    /// The limit of a metric; nil if the target does not limit the metric.
    func limit(of metric: Metric) -> Double? { limits.first { $0.metric == metric }?.value }

    /// Limit with which compliance is computed: of P95, else of P99, else of P50.
    var complianceLimit: Limit? {
        let order: [Metric] = [.p95, .ageP95, .p99, .ageP99, .p50, .ageP50]
        return order.lazy.compactMap { metric in limits.first { $0.metric == metric } }.first
    }

    /// Whether the target matches one of the names of an element: its name, its factory, or its kind.
    public func watches(_ names: [String]) -> Bool {
        let pattern = GlobPatterns(name)
        return !isPipeline && !pattern.isEmpty && names.contains { pattern.choose($0) }
    }
}
