/// How hot the machine is, with the names that Android and iOS use.
public enum ThermalLevel: Int, Sendable, Comparable, CaseIterable {
    /// No sensor provides a level. It must not be treated as cool.
    case unknown
    case nominal
    case fair
    /// The machine reduces its clock frequency, or is about to.
    case serious
    case critical
    /// The machine is about to switch off.
    case shutdown

    public static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }

    public var name: String { "\(self)" }
}
