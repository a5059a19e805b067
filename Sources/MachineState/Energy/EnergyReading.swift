/// Measured energy.
///
/// It is the energy of the hardware that the source names, for all programs, not only for the process.
public struct Energy: Sendable, Equatable {
    /// Method of measurement.
    public enum Method: Sendable, Equatable {
        /// The hardware counts energy.
        case counter
        /// The hardware measures power, which is integrated from one reading to the next.
        case sampledPower
        /// The charge of a battery is measured; it falls in steps.
        case battery
    }

    /// Name of the source, such as `RAPL package-0` or `hwmon ina3221 VDD_IN`.
    public var source: String
    /// Method of measurement.
    public var method: Method
    /// Energy since the first reading; it only rises.
    public var joules: Double
    /// Power since the last reading; nil if unknown.
    public var watts: Double?

    /// Creates the energy of a source.
    public init(source: String, method: Method, joules: Double, watts: Double?) {
        self.source = source
        self.method = method
        self.joules = joules
        self.watts = watts
    }
}

/// Measured energy, or the reason why there is none; never an estimate.
public enum EnergyReading: Sendable, Equatable {
    /// Energy since the first reading, and present power.
    case measured(Energy)
    /// No energy is measured; the reason is a sentence for the user.
    case notMeasurable(reason: String)
}
