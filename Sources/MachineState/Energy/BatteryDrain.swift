/// Energy that has left a battery while it was discharging.
///
/// The charge of a battery falls in steps, often once a minute. Energy before the first step is not counted.
public struct BatteryDrain: Sendable {
    private var last: (joules: Double, at: Duration, isStep: Bool)?
    private var measuredWatts: Double?
    private var meanWatts: Double?
    /// Energy since the first step.
    public private(set) var joules = 0.0
    /// Power that the battery measures, or the mean between the last two steps of its charge; nil if neither is known.
    public var watts: Double? { measuredWatts ?? meanWatts }

    /// Creates a drain without readings.
    public init() {}

    /// Adds a reading; `charge` is nil while the battery is not discharging.
    public mutating func record(_ charge: BatteryCharge?, at now: Duration) {
        measuredWatts = charge?.watts
        guard let charge else {
            last = nil
            meanWatts = nil
            return
        }
        guard let last, now > last.at, charge.joules <= last.joules else {
            // This is the first reading, or the battery corrected its charge upwards.
            self.last = (charge.joules, now, false)
            return
        }
        guard charge.joules < last.joules else { return }
        self.last = (charge.joules, now, true)
        guard last.isStep else { return }
        let power = (last.joules - charge.joules) / ((now - last.at) / .seconds(1))
        guard power <= EnergyCounter.mostWatts else { return }
        joules += last.joules - charge.joules
        meanWatts = power
    }
}
