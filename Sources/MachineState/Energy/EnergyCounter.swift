/// A counter of energy in microjoules that begins at 0 again after its range, such as RAPL's `energy_uj`.
///
/// For RAPL see the kernel's `Documentation/power/powercap/powercap.rst`.
public struct EnergyCounter: Sendable {
    /// No domain needs more: a counter that rises faster was reset, and not full.
    static let mostWatts = 5000.0

    private let range: UInt64?
    private var last: (microjoules: UInt64, at: Duration)?
    /// Energy since the first reading.
    public private(set) var joules = 0.0
    /// Power since the last reading; nil if it is not known.
    public private(set) var watts: Double?

    /// `range` is `max_energy_range_uj`; without it, a counter that falls was reset.
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

    /// Notes that the counter could not be read.
    public mutating func interrupt() { watts = nil }

    private func difference(_ now: UInt64, _ before: UInt64) -> UInt64? {
        if now >= before { return now - before }
        guard let range, before <= range, now <= range else { return nil }
        let (sum, overflows) = (range - before).addingReportingOverflow(now)
        return overflows ? nil : sum
    }
}

extension EnergyCounter {
    /// The number in `energy_uj`, `max_energy_range_uj` or `energy<n>_input`.
    public static func microjoules(_ text: String) -> UInt64? { FileNumber.natural(text) }
}
