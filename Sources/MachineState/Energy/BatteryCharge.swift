/// Charge of a battery that supplies the machine.
///
/// Source: the kernel's `Documentation/ABI/testing/sysfs-class-power`.
public struct BatteryCharge: Sendable, Equatable {
    /// Remaining energy.
    public var joules: Double
    /// Power that leaves the battery; nil if the battery does not measure it.
    public var watts: Double?

    /// Creates a charge; nil if the battery is not discharging, or reports neither µWh nor both µAh and µV.
    public init?(
        status: String, energy: String?, charge: String?, voltage: String?, power: String?, current: String?
    ) {
        guard status.prefix(while: { $0 != "\n" }) == "Discharging" else { return nil }
        let volts = voltage.flatMap(Self.millionths).flatMap { (0.5...1000).contains($0) ? $0 : nil }
        if let wattHours = energy.flatMap(Self.millionths) {
            joules = wattHours * 3600
        } else if let ampereHours = charge.flatMap(Self.millionths), let volts {
            joules = ampereHours * volts * 3600
        } else {
            return nil
        }
        // No battery holds more than 1 GJ, which is 280 kWh.
        guard joules <= 1e9 else { return nil }
        let drawn =
            power.flatMap(Self.millionths)
            ?? current.flatMap(Self.millionths).flatMap { amperes in
                volts.map { amperes * $0 }
            }
        watts = drawn.flatMap { $0 > 0 && $0 <= EnergyCounter.mostWatts ? $0 : nil }
    }

    private static func millionths(_ text: String) -> Double? { FileNumber.magnitude(text).map { Double($0) / 1e6 } }
}
