/// Heat of the machine, with the names of Android and iOS.
public enum ThermalLevel: Int, Sendable, Comparable, CaseIterable {
    /// No sensor provides a level; it must not be treated as cool.
    case unknown
    /// No reduction is necessary.
    case nominal
    /// Warm; the machine runs at full speed.
    case fair
    /// The machine reduces its clock frequency, or will soon.
    case serious
    /// The machine is slowed down considerably.
    case critical
    /// The machine will switch off soon.
    case shutdown

    public static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }

    /// Name in messages, such as `serious`.
    public var name: String { "\(self)" }
}
