/// Excess over a target above which alerts are raised.
public struct Thresholds: Sendable, Equatable {
    /// Thresholds of one kind of metric.
    public struct Pair: Sendable, Equatable {
        /// Threshold of a warning.
        public var warning: Double
        /// Threshold of a critical alert.
        public var critical: Double

        /// Creates a pair.
        public init(warning: Double, critical: Double) {
            self.warning = warning
            self.critical = critical
        }
    }

    /// Thresholds of latencies, as multiples of the limit of the percentile.
    public var latency = Pair(warning: 1.5, critical: 2)
    /// Thresholds of rates, as shares of the target rate; a lower rate raises an alert.
    public var rate = Pair(warning: 0.9, critical: 0.8)
    /// Thresholds of memory, as multiples of the limit.
    public var memory = Pair(warning: 1.2, critical: 1.5)
    /// Thresholds of power, as multiples of the limit of energy.
    public var energy = Pair(warning: 1.2, critical: 1.5)
    /// Thresholds of compliance, as burn rates: multiples of the permitted share of late frames.
    ///
    /// With `compliance=95%`, 5 % of the frames may be late, so alerts are raised below 90 % and 80 %.
    public var compliance = Pair(warning: 2, critical: 4)

    /// Creates the default thresholds.
    public init() {}

    /// Excess of `value` over `target`, for comparison with `limits(of:)`.
    ///
    /// It is the missing share of a rate, the burn rate of a compliance, and a multiple of all other targets.
    static func excess(_ metric: Metric, of value: Double, over target: Double) -> Double {
        switch metric {
        case .rate: target > 0 ? 1 - (value / target) : 0
        case .compliance: target < 1 ? (1 - value) / (1 - target) : 0
        default: target > 0 ? value / target : 0
        }
    }

    func limits(of metric: Metric) -> Pair {
        switch metric {
        case .rate: Pair(warning: 1 - rate.warning, critical: 1 - rate.critical)
        case .memory: memory
        case .energy: energy
        case .compliance: compliance
        default: latency
        }
    }
}
