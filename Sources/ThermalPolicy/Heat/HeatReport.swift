import MachineState

/// The level of the machine, and the zone that determines it.
public struct HeatReport: Sendable, Equatable {
    /// The level that all zones together give.
    public var level = ThermalLevel.unknown
    /// Nil while the level is unknown.
    public var cause: LevelCause?
    /// The zone with the highest level, and of those the one nearest to its first trip point.
    public var zone: String?
    /// Temperature of that zone in degrees Celsius; nil if unknown.
    public var celsius: Double?
    /// 1 at the first trip point, 0 at 30 degrees below.
    public var headroom: Double?
    /// The forecast of `headroom`.
    public var forecast: Double?

    public init() {}
}

/// The reason for a level.
public enum LevelCause: Sendable, Equatable {
    /// The temperature is in the range of the level.
    case temperature
    /// The temperature reaches the range of the level within the forecast, if its trend continues.
    case forecast
    /// The temperature has been in the range and has not fallen far enough below it.
    case hysteresis
    /// The firmware reports that it throttles the machine.
    case firmware
    /// The property `forced-level` sets it.
    case forced

    /// Name in messages, such as `forecast`.
    public var name: String { "\(self)" }
}
