/// Bounds what a server causes: a number of units at once, and later one unit after each pause.
struct PeerBudget: Sendable {
    private let capacity: Int
    private let pause: Duration
    /// Time at which no unit is taken any more.
    private var full = Duration.zero

    init(capacity: Int, pause: Duration) { (self.capacity, self.pause) = (capacity, pause) }

    /// Time from which something may be taken.
    var next: Duration { full - pause * (capacity - 1) }

    /// Takes units if at least one is left; the pause is longer after more units than are left.
    mutating func take(_ units: Int = 1, at now: Duration) -> Bool {
        guard now >= next else { return false }
        full = max(full, now) + pause * units
        return true
    }
}
