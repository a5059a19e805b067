/// Measured energy, or the reason why no energy is measured; the energy is never an estimate.
///
/// The energy is that of the hardware that `source` names, for all programs and not only for the process.
public struct EnergyReading: Sendable, Equatable {
    /// Name of the source, such as `RAPL package-0`; without energy, a sentence with the reason.
    public var source: String
    /// Energy since the first reading, which only rises; nil if none is measured.
    public var joules: Double?
    /// Power since the last reading; nil if unknown.
    public var watts: Double?

    /// Creates a reading; without `joules`, `source` is the reason.
    public init(source: String, joules: Double? = nil, watts: Double? = nil) {
        self.source = source
        self.joules = joules
        self.watts = watts
    }
}
