/// Energy from a power that is read now and then: the mean of two readings for the time between them.
public struct PowerSum: Sendable {
    /// Power is not assumed to have lasted longer, as in a pause of the program or of the machine.
    private static let longestInterval = Duration.seconds(10)

    private var last: (watts: Double, at: Duration)?
    /// Energy since the first reading.
    public private(set) var joules = 0.0
    /// Power of the last reading.
    public var watts: Double? { last?.watts }

    /// Creates a sum without readings.
    public init() {}

    /// Adds a reading; a power that is no number of a machine is left out.
    public mutating func record(watts: Double, at now: Duration) {
        guard (0...EnergyCounter.mostWatts).contains(watts) else {
            last = nil
            return
        }
        if let last, now > last.at, now - last.at <= Self.longestInterval {
            joules += (watts + last.watts) / 2 * ((now - last.at) / .seconds(1))
        }
        last = (watts, now)
    }

    /// Ends an interval: the source cannot be read.
    public mutating func interrupt() { last = nil }
}
