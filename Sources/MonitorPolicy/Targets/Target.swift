import MachineState

/// Limits of the figures of one element, of several, or of the pipeline.
public struct Target: Sendable, Equatable {
    /// Limit of one metric.
    public struct Limit: Sendable, Equatable {
        /// The metric.
        public var metric: Metric
        /// Its limit in the unit of the metric: seconds, frames a second, bytes, watts, a share.
        public var value: Double

        /// Creates a limit.
        public init(_ metric: Metric, _ value: Double) {
            self.metric = metric
            self.value = value
        }
    }

    /// A lower rate to which the watched work may fall back when the target is missed.
    public enum Tier: Sendable, Equatable {
        /// Frames a second.
        case rate(Double)
        /// The work is left out.
        case off
    }

    /// Name of the target that watches the whole pipeline and its process.
    public static let pipeline = "pipeline"

    /// Name, factory or kind of the watched elements, in which `*` stands for any characters and `?`
    /// for one; or `pipeline`.
    public var name: String
    /// Limits in the order of the text.
    public var limits: [Limit] = []
    /// Lower rates, best first.
    public var tiers: [Tier] = []
    /// Length of the short window; the long one is twelve times as long.
    ///
    /// 5 s and 60 s suit ten frames a second. Slower work requires a longer window to have enough samples.
    public var window = Duration.seconds(5)
    /// Number of samples in the long window below which no alert is raised.
    public var samples: UInt64 = 50
    /// Excess over the limit up to which a frame counts as compliant, so that noise about the limit raises no alert.
    public var tolerance = 0.1
    /// When alerts are raised.
    public var thresholds = Thresholds()

    /// Creates a target without limits.
    public init(name: String) { self.name = name }

    /// Whether the target watches the whole pipeline.
    public var isPipeline: Bool { name == Self.pipeline }

    /// The limit of a metric; nil for none.
    public func limit(of metric: Metric) -> Double? { limits.first { $0.metric == metric }?.value }

    /// The limit with which compliance is computed: that of P95, or else P99, or else P50.
    var complianceLimit: Limit? {
        let order: [Metric] = [.p95, .ageP95, .p99, .ageP99, .p50, .ageP50]
        return order.lazy.compactMap { metric in limits.first { $0.metric == metric } }.first
    }

    /// Whether the target watches an element with any of these names: its name, its factory, its kind.
    public func watches(_ names: [String]) -> Bool {
        let pattern = GlobPatterns(name)
        return !isPipeline && !pattern.isEmpty && names.contains { pattern.choose($0) }
    }
}
