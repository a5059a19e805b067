/// A counter of energy in microjoules that wraps around to 0 after its range, such as `energy_uj` of RAPL.
///
/// Source: the kernel's `Documentation/power/powercap/powercap.rst`.
public struct EnergyCounter: Sendable {
    /// Highest power of a domain; a counter that rises faster was reset and has not wrapped around.
    static let mostWatts = 5000.0

    private let range: UInt64?
    private var last: (microjoules: UInt64, at: Duration)?
    /// Energy since the first reading.
    public private(set) var joules = 0.0
    /// Power since the last reading; nil if unknown.
    public private(set) var watts: Double?

    /// Creates a counter; if `range` (`max_energy_range_uj`) is nil, a counter that falls counts as reset.
    public init(range: UInt64? = nil) { self.range = range }

    /// Adds a reading.
    public mutating func record(_ microjoules: UInt64, at now: Duration) {
        if let last, last.at == now { return }
        let before = last
        last = (microjoules, now)
        watts = nil
        guard let before, now > before.at, let used = difference(microjoules, before.microjoules) else { return }
        let seconds = (now - before.at) / .seconds(1)
        let power = Double(used) / 1e6 / seconds
        guard power <= Self.mostWatts else { return }
        watts = power
        joules += power * seconds
    }

    /// Notes that the counter cannot be read.
    public mutating func interrupt() { watts = nil }

    private func difference(_ now: UInt64, _ before: UInt64) -> UInt64? {
        if now >= before { return now - before }
        guard let range, before <= range, now <= range else { return nil }
        let (sum, overflows) = (range - before).addingReportingOverflow(now)
        return overflows ? nil : sum
    }
}

extension EnergyCounter {
    /// Parses the number in `energy_uj`, `max_energy_range_uj` or `energy<n>_input`.
    public static func microjoules(_ text: String) -> UInt64? { FileNumber.natural(text) }
}
