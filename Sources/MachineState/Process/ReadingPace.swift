/// Limits the readings of a slow file to one thousandth of the time.
public struct ReadingPace: Sendable {
    private static let times = 1000
    private var due: Duration?

    /// Creates a pace at which the first reading is due.
    public init() {}

    /// Whether the next reading is due.
    public func isDue(at now: Duration) -> Bool { due.map { now >= $0 } ?? true }

    /// Schedules the next reading after a reading at `now` that took `cost`.
    public mutating func read(at now: Duration, cost: Duration) {
        due = now + min(max(cost, .zero), .seconds(3600)) * Self.times
    }
}
