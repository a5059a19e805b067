/// Releases of the frames that were pushed after the limit was raised.
struct GrowthTrial: Sendable {
    let since: UInt64
    var first: UInt64 = 0
    var last: UInt64 = 0
    var count: UInt64 = 0

    init(since: UInt64) { self.since = since }

    mutating func frameReleased(pushedAt: UInt64, at time: UInt64) {
        guard pushedAt >= since else { return }
        if count == 0 { first = time }
        last = max(last, time)
        count += 1
    }

    /// Mean time between releases in nanoseconds.
    ///
    /// It is nil until more releases than `limit` were recorded, because frames may be released in pairs.
    func interval(_ limit: UInt32) -> UInt64? {
        count > max(UInt64(limit), 2) && last > first ? (last - first) / (count - 1) : nil
    }
}
