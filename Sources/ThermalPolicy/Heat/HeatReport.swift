import MachineState

/// Level of the machine, and the zone that determines it.
public struct HeatReport: Sendable, Equatable {
    /// Reason for a level.
    public enum Cause: Sendable, Equatable {
        /// The temperature is in the range of the level.
        case temperature
        /// The temperature will reach the range of the level within the forecast time, if its trend continues.
        case forecast
        /// The temperature was in the range and has not fallen far enough below it.
        case hysteresis
        /// The firmware reports that it throttles the machine.
        case firmware
        /// The property `forced-level` sets the level.
        case forced

        /// Name in messages, such as `forecast`.
        public var name: String { "\(self)" }
    }

    /// Level from all zones.
    public var level = ThermalLevel.unknown
    /// Reason for the level; nil while the level is unknown.
    public var cause: Cause?
    /// Zone with the highest level; if several zones have this level, the one that uses the most headroom.
    public var zone: String?
    /// Degrees Celsius of `zone`, or of the zone with the highest level if the firmware sets the level; nil if unknown.
    public var celsius: Double?
    /// Share of the headroom in use: 1 at the first trip point, 0 at 30 degrees below it.
    public var headroom: Double?
    /// Forecast of `headroom`.
    public var forecast: Double?

    public init() {}
}
