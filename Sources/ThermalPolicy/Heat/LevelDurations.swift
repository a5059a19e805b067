import MachineState

/// Total time in each level.
public struct LevelDurations: Sendable {
    private var spent: [ThermalLevel: Duration] = [:]
    private var current: (level: ThermalLevel, since: Duration)?

    public init() {}

    /// Records the level from `now` on.
    public mutating func note(_ level: ThermalLevel, at now: Duration) {
        if let current { spent[current.level, default: .zero] += max(.zero, now - current.since) }
        current = (level, now)
    }

    /// The stream stops; the time until the next level does not count.
    public mutating func pause(at now: Duration) {
        guard let current else { return }
        note(current.level, at: now)
        self.current = nil
    }

    /// Seconds spent in `level` until `now`.
    public func seconds(_ level: ThermalLevel, at now: Duration) -> Double {
        var total = spent[level] ?? .zero
        if let current, current.level == level { total += max(.zero, now - current.since) }
        return total / .seconds(1)
    }
}
