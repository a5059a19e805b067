/// Energy integrated from readings of power: the mean of two readings times the time between them.
public struct PowerSum: Sendable {
    /// Longest time between two readings that counts; a longer time is a pause of the program or of the machine.
    private static let longestInterval = Duration.seconds(10)

    private var last: (watts: Double, at: Duration)?
    /// Energy since the first reading.
    public private(set) var joules = 0.0
    /// Power of the last reading; nil after an interruption.
    public var watts: Double? { last?.watts }

    /// Creates a sum without readings.
    public init() {}

    /// Adds a reading; a power that is out of range interrupts the sum.
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

    /// Notes that the source cannot be read.
    public mutating func interrupt() { last = nil }
}
