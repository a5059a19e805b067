import GStreamer
import MachineState
import ThermalPolicy
import Threads

/// Values of the read-only properties, shared by all threads.
final class ThermalCapsReport: Sendable {
    struct Facts {
        var heat = HeatReport()
        var action = "none"
        var durations = LevelDurations()
        var changes: UInt64 = 0
        var reasons: [String] = []
        /// Bits per second of the output of the encoder at the last check.
        var bitrate = 0.0
    }

    /// Total time in each level.
    struct LevelDurations {
        private var spent: [ThermalLevel: Duration] = [:]
        private var current: (level: ThermalLevel, since: Duration)?

        /// Records the level from `now` on.
        mutating func note(_ level: ThermalLevel, at now: Duration) {
            if let current { spent[current.level, default: .zero] += max(.zero, now - current.since) }
            current = (level, now)
        }

        /// The stream stops, so the time until the next level does not count.
        mutating func pause(at now: Duration) {
            guard let current else { return }
            note(current.level, at: now)
            self.current = nil
        }

        /// Seconds spent in `level` until `now`.
        func seconds(_ level: ThermalLevel, at now: Duration) -> Double {
            var total = spent[level] ?? .zero
            if let current, current.level == level { total += max(.zero, now - current.since) }
            return total / .seconds(1)
        }
    }

    let facts = Mutex(Facts())

    static let properties: [Property<ThermalCapsSettings>] = [
        .string("level", "Thermal level of the machine", reported: { $0.read { $0.heat.level.name } }),
        .double(
            "temperature", "Temperature of the hottest sensor, in degrees Celsius (NaN = unknown)",
            reported: { $0.read { $0.heat.celsius ?? .nan } }),
        .double(
            "headroom",
            "Used thermal headroom: 1 where the machine slows down, 0 at 30 degrees below (NaN = unknown)",
            reported: { $0.read { $0.heat.headroom ?? .nan } }),
        .string("current-action", "Present reduction, or none", reported: { $0.read { $0.action } }),
        .string(
            "limitation-reasons", "Reasons other than heat for the present reduction, separated by commas",
            reported: { $0.read { $0.reasons.joined(separator: ",") } }),
        .structure("limitation-durations", "Seconds spent in each level", reported: { $0.durations }),
        .uint64("changes", "Number of changes of the quality", reported: { $0.read { $0.changes } }),
        .uint64(
            "measured-bitrate",
            "Bitrate of the encoder after the last change, in bits per second of stream (0 = not measured)",
            reported: { $0.read { UInt64(max(0, min($0.bitrate, 1e18))) } }),
    ]

    private func read<Value: Sendable>(_ body: (borrowing Facts) -> Value) -> Value { facts.withLock { body($0) } }

    private var durations: Structure {
        let now = MonotonicClock.now
        let durations = facts.withLock { $0.durations }
        var structure = Structure("application/x-thermalcaps-durations")
        for level in ThermalLevel.allCases { structure[level.name] = .double(durations.seconds(level, at: now)) }
        return structure
    }
}
