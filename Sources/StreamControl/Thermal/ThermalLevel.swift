/// How hot the machine is, in the words of the platforms that have them.
public enum ThermalLevel: Int, Sendable, Comparable, CaseIterable {
    /// Nobody can tell; it must not count as cool.
    case unknown
    case nominal
    case fair
    /// The machine slows itself down, or is about to.
    case serious
    case critical
    /// The machine is about to switch itself off.
    case shutdown

    public static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }

    public var name: String { "\(self)" }
}

/// Why the machine is in its level.
public enum LevelCause: Sendable, Equatable {
    /// The temperature is where the level begins.
    case temperature
    /// The temperature will be there soon if its trend lasts.
    case forecast
    /// The temperature was there and has not fallen far enough below.
    case hysteresis
    /// The firmware says that it slows the machine down.
    case firmware
    /// The user has set the level.
    case forced

    public var name: String { "\(self)" }
}
