/// Schedules the storage of the player's state: after a change, at most once per second.
struct SavingSchedule {
    private static let pause = Duration.seconds(1)

    private var hasChanged = false
    private var last: Duration?

    /// Time at which the state must be stored; nil if it is stored.
    var deadline: Duration? { hasChanged ? last.map { $0 + Self.pause } ?? .zero : nil }

    mutating func changed() { hasChanged = true }

    /// Whether the state must be stored at `now`, or at the end of the run if `now` is nil; marks the state as stored.
    mutating func takes(at now: Duration?) -> Bool {
        guard let deadline, now.map({ $0 >= deadline }) ?? true else { return false }
        hasChanged = false
        last = now ?? last
        return true
    }
}
