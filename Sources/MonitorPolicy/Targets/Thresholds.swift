/// How far a value may exceed its target before an alert is raised.
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

    /// Multiples of a percentile's limit: above 1.5 and 2 times.
    public var latency = Pair(warning: 1.5, critical: 2)
    /// Shares of the target rate: below 0.9 and 0.8 times.
    public var rate = Pair(warning: 0.9, critical: 0.8)
    /// Multiples of the limit of memory: above 1.2 and 1.5 times.
    public var memory = Pair(warning: 1.2, critical: 1.5)
    /// Multiples of the limit of energy: above 1.2 and 1.5 times.
    public var energy = Pair(warning: 1.2, critical: 1.5)
    /// Multiples of the share of late frames that `compliance` allows (burn rates): 2 and 4 times.
    ///
    /// With `compliance=95%`, 5 % may be late, so the alerts are raised below 90 % and 80 %.
    public var compliance = Pair(warning: 2, critical: 4)

    /// Creates the default thresholds.
    public init() {}

    /// Excess of `value` over `target`, which compares with `limits(of:)`; it rises with what is bad.
    ///
    /// It is the missing share of a rate, the burn rate of a compliance, and a multiple for all others.
    static func excess(_ metric: Metric, of value: Double, over target: Double) -> Double {
        switch metric {
        case .rate: target > 0 ? 1 - (value / target) : 0
        case .compliance: target < 1 ? (1 - value) / (1 - target) : 0
        default: target > 0 ? value / target : 0
        }
    }

    /// Excess beyond which alerts are raised.
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
