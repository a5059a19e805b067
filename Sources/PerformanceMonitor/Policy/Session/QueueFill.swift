/// How often a queue was full when it was read.
struct QueueFill: Sendable {
    /// Share of a limit from which a queue is full.
    private static let fullShare = 0.9
    /// Readings of the last 5 s.
    private static let recentReadings = 5

    private var recent: [Bool] = []
    private var full = 0
    private var count = 0

    /// Takes the levels of one reading; those without limits say nothing.
    mutating func tick(_ levels: [ElementSnapshot.Level]) {
        let shares = levels.compactMap { level in level.limit.map { level.value / $0 } }
        guard let most = shares.max() else { return }
        let isFull = most >= Self.fullShare
        if recent.count == Self.recentReadings { recent.removeFirst() }
        recent.append(isFull)
        full += isFull ? 1 : 0
        count += 1
    }

    /// Whether it was full in more than half of the last readings, or of all with `sinceStart`; false below 3 readings.
    func isMostlyFull(sinceStart: Bool) -> Bool {
        let (full, count) = sinceStart ? (full, count) : (recent.count { $0 }, recent.count)
        return count >= 3 && full * 2 > count
    }
}
