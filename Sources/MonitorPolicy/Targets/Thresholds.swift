/// Excess over a target above which alerts are raised.
struct Thresholds: Sendable, Equatable {
    struct Pair: Sendable, Equatable {
        var warning: Double
        var critical: Double
    }

    private var pairs: [Metric.Family: Pair] = [
        // Thresholds of latencies are multiples of the limit of the percentile.
        .latency: Pair(warning: 1.5, critical: 2),
        // Thresholds of rates are shares of the target rate; a lower rate raises an alert.
        .rate: Pair(warning: 0.9, critical: 0.8),
        // Thresholds of memory and energy are multiples of the limit.
        .memory: Pair(warning: 1.2, critical: 1.5), .energy: Pair(warning: 1.2, critical: 1.5),
        // Burn rates: multiples of the permitted share of late frames. For 95 %, alerts are raised below 90 % and 80 %.
        .compliance: Pair(warning: 2, critical: 4),
    ]

    /// Creates the default thresholds.
    init() {}

    /// Excess of `value` over `target`, for comparison with `limits(of:)`.
    ///
    /// The excess is the missing share of a rate, the burn rate of a compliance, or else a multiple of the target.
    static func excess(_ metric: Metric, of value: Double, over target: Double) -> Double {
        switch metric {
        case .rate: target > 0 ? 1 - (value / target) : 0
        case .compliance: target < 1 ? (1 - value) / (1 - target) : 0
        default: target > 0 ? value / target : 0
        }
    }

    subscript(family: Metric.Family) -> Pair {
        get { pairs[family] ?? Pair(warning: 1, critical: 1) }
        set { pairs[family] = newValue }
    }

    func limits(of metric: Metric) -> Pair {
        let pair = self[metric.family]
        return metric == .rate ? Pair(warning: 1 - pair.warning, critical: 1 - pair.critical) : pair
    }

    /// Throws if thresholds contradict each other.
    func check(at place: @autoclosure () -> TargetError.Place) throws(TargetError) {
        let allowed = "a critical threshold no milder than the warning"
        for family in Metric.Family.allCases {
            let (pair, isRate) = (self[family], family == .rate)
            if isRate, pair.warning > 1 {
                throw TargetError(place: place(), fault: "rate-warning is above 100%", allowed: allowed)
            }
            guard isRate ? pair.critical <= pair.warning : pair.critical >= pair.warning else {
                let fault = "\(family)-critical is \(isRate ? "above" : "below") \(family)-warning"
                throw TargetError(place: place(), fault: fault, allowed: allowed)
            }
        }
    }
}
