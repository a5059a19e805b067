/// A figure that a target limits.
public enum Metric: String, Sendable, CaseIterable {
    /// Median latency: through the element, or since the source if no frames pass through it, as in a sink.
    case p50
    /// 95th percentile of the latency.
    case p95
    /// 99th percentile of the latency.
    case p99
    /// Median age since the source, in any element.
    case ageP50 = "age-p50"
    /// 95th percentile of the age.
    case ageP95 = "age-p95"
    /// 99th percentile of the age.
    case ageP99 = "age-p99"
    /// Frames per second; the limit is a minimum.
    case rate
    /// Memory of the process.
    case memory
    /// Mean power of the machine.
    case energy
    /// Share of the frames within the limit of the latency; the limit is a minimum.
    case compliance

    /// Metrics with one unit and one pair of thresholds: seconds, frames per second, bytes, watts, a share.
    enum Family: String, CaseIterable, Sendable {
        case latency, rate, memory, energy, compliance
    }

    var family: Family {
        switch self {
        case .p50, .p95, .p99, .ageP50, .ageP95, .ageP99: .latency
        case .rate: .rate
        case .memory: .memory
        case .energy: .energy
        case .compliance: .compliance
        }
    }

    /// Share of the frames of a percentile, such as 0.95 for P95; nil for other metrics.
    public var quantile: Double? {
        switch self {
        case .p50, .ageP50: 0.5
        case .p95, .ageP95: 0.95
        case .p99, .ageP99: 0.99
        case .rate, .memory, .energy, .compliance: nil
        }
    }

    var isAge: Bool { self == .ageP50 || self == .ageP95 || self == .ageP99 }

    /// Whether the limit is a minimum.
    var isMinimum: Bool { self == .rate || self == .compliance }

    /// Whether the metric measures the process or the machine, and so belongs to the target `pipeline`.
    var isOfProcess: Bool { self == .memory || self == .energy }
}
