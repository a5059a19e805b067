/// How hot the machine is, with the names that Android and iOS use.
public enum ThermalLevel: Int, Sendable, Comparable, CaseIterable {
    /// No sensor provides a level. It must not be treated as cool.
    case unknown
    /// No reduction is necessary.
    case nominal
    /// Warm; the machine is not slowed down.
    case fair
    /// The machine reduces its clock frequency, or is about to.
    case serious
    /// The machine is slowed down considerably.
    case critical
    /// The machine is about to switch off.
    case shutdown

    public static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }

    /// Name in messages, such as `serious`.
    public var name: String { "\(self)" }
}
