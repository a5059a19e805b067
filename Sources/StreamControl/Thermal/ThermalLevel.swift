/// How hot the machine is, in the words of the platforms that have them.
public enum ThermalLevel: Int, Sendable, Comparable, CaseIterable {
    /// Nobody can tell; it must not count as cool.
    case unknown
    case nominal
    case fair
    case serious
    case critical

    public static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }

    public var name: String {
        switch self {
        case .unknown: "unknown"
        case .nominal: "nominal"
        case .fair: "fair"
        case .serious: "serious"
        case .critical: "critical"
        }
    }
}
