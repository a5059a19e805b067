/// The releases of frames that went out after the limit had grown.
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

    /// The mean time between them; nil until all that may be out at once have come back, since they may come in pairs.
    func interval(_ limit: UInt32) -> UInt64? {
        count > max(UInt64(limit), 2) && last > first ? (last - first) / (count - 1) : nil
    }
}
