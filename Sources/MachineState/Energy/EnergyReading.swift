/// Energy that was measured.
///
/// It is the energy of the hardware that the source names, with all programs that ran meanwhile, not that of the process.
public struct Energy: Sendable, Equatable {
    /// The source of the numbers.
    public enum Method: Sendable, Equatable {
        /// The hardware counts energy.
        case counter
        /// The hardware measures power, which is added up from one reading to the next.
        case sampledPower
        /// The charge of a battery, which falls in steps.
        case battery
    }

    /// Name of the source, such as `RAPL package-0` or `hwmon ina3221 VDD_IN`.
    public var source: String
    /// The way it is measured.
    public var method: Method
    /// Energy since the first reading; it only rises.
    public var joules: Double
    /// Power since the last reading; nil if it is not known yet.
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
    /// Energy since the start, and present power.
    case measured(Energy)
    /// A sentence for the user.
    case notMeasurable(reason: String)
}
