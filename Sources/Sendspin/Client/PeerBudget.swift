/// Token bucket that limits the effects of a peer: `capacity` units at once, then one unit per `pause`.
struct PeerBudget: Sendable {
    private let capacity: Int
    private let pause: Duration
    /// Time at which all units are available again.
    private var full = Duration.zero

    init(capacity: Int, pause: Duration) { (self.capacity, self.pause) = (capacity, pause) }

    /// Time from which at least one unit is available.
    var next: Duration { full - pause * (capacity - 1) }

    /// Takes units if at least one is available; if it takes more than the available units, the next call waits longer.
    mutating func take(_ units: Int = 1, at now: Duration) -> Bool {
        guard now >= next else { return false }
        full = max(full, now) + pause * units
        return true
    }
}
