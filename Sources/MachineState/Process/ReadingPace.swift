/// When a file that may be slow is read next: so seldom that it takes a thousandth of the time at most.
public struct ReadingPace: Sendable {
    private static let times = 1000
    private var due: Duration?

    /// Creates a pace at which the first reading is due.
    public init() {}

    /// Whether the next reading is due.
    public func isDue(at now: Duration) -> Bool { due.map { now >= $0 } ?? true }

    /// Notes that a reading at `now` took `cost`.
    public mutating func read(at now: Duration, cost: Duration) {
        due = now + min(max(cost, .zero), .seconds(3600)) * Self.times
    }
}
