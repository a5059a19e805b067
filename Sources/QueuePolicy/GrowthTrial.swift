import Durations

/// Measures the releases of the frames that were pushed after the limit was raised.
struct GrowthTrial: Sendable {
    let since: Duration
    var first = Duration.zero
    var last = Duration.zero
    var count = 0

    init(since: Duration) { self.since = since }

    mutating func frameReleased(pushedAt: Duration, at time: Duration) {
        guard pushedAt >= since else { return }
        if count == 0 { first = time }
        last = max(last, time)
        count += 1
    }

    /// Mean time between releases; nil until more than `limit` frames are released, because they may come in pairs.
    func interval(_ limit: UInt32) -> Duration? {
        count > max(Int(limit), 2) && last > first ? (last - first) / (count - 1) : nil
    }
}
