/// Heat of the machine; the levels have the names that Android and iOS use.
public enum ThermalLevel: Int, Sendable, Comparable, CaseIterable {
    /// No sensor provides a level; callers must not treat this case as cool.
    case unknown
    /// No reduction is necessary.
    case nominal
    /// The machine is warm, but runs at full speed.
    case fair
    /// The machine reduces its clock frequency, or is about to do so.
    case serious
    /// The machine is slowed down considerably.
    case critical
    /// The machine will switch off soon.
    case shutdown

    public static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }

    /// Name in messages, such as `serious`.
    public var name: String { "\(self)" }
}
