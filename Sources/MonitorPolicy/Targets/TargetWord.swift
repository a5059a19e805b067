/// A word of a target in a text or a file: `p95`, `rate`, `tiers`, `latency-warning`.
enum TargetWord: Sendable, Equatable {
    case limit(Metric)
    case window
    case samples
    case tolerance
    case tiers
    case warning(Metric.Family)
    case critical(Metric.Family)

    /// All words, in the order in which messages list them.
    static let all =
        Metric.allCases.map(Self.limit) + [.window, .samples, .tolerance, .tiers] + thresholds
    static let thresholds = Metric.Family.allCases.flatMap { [Self.warning($0), .critical($0)] }

    init?(_ name: some StringProtocol) {
        guard let word = Self.all.first(where: { $0.name == name }) else { return nil }
        self = word
    }

    var name: String {
        switch self {
        case .limit(let metric): metric.rawValue
        case .window: "window"
        case .samples: "samples"
        case .tolerance: "tolerance"
        case .tiers: "tiers"
        case .warning(let family): "\(family.rawValue)-warning"
        case .critical(let family): "\(family.rawValue)-critical"
        }
    }

    var kind: Quantity.Kind {
        switch self {
        case .limit(.rate), .tiers: .rate
        case .limit(.memory): .memory
        case .limit(.energy): .power
        case .limit(.compliance): .compliance
        case .limit: .latency
        case .window: .window
        case .samples: .count
        case .tolerance: .percentage
        case .warning, .critical: .ratio
        }
    }

    var allowed: String {
        self == .tiers
            ? "rates below the target rate, separated by | and best first, or off, such as 15|10|off" : kind.allowed
    }
}
