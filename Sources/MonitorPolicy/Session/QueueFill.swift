/// Counts how often a queue was full or nearly empty when it was read.
struct QueueFill: Sendable {
    /// State of a queue in most readings.
    enum State: Sendable {
        /// The queue was full in more than half of the readings.
        case full
        /// The queue was nearly empty in at least four of five readings: downstream elements wait for frames.
        case low
        case middle
    }

    /// A queue is full if one of its levels is at least this share of its limit.
    private static let fullShare = 0.9
    /// A queue is nearly empty if all levels are at most this share of their limits, or if it has at most one buffer.
    private static let lowShare = 0.2
    /// Number of readings in 5 s.
    private static let recentReadings = 5

    private var recent: [State] = []
    private var full = 0
    private var low = 0
    private var count = 0

    /// Takes the levels of one reading; ignores levels without limits.
    ///
    /// Frames in flight downstream do not count. Without levels, as for a removed element, the counts are cleared.
    mutating func tick(_ levels: [ElementSnapshot.Level]) {
        guard !levels.isEmpty else {
            self = QueueFill()
            return
        }
        let levels = levels.filter { $0.name.hasPrefix("current-level-") }
        guard let most = levels.compactMap({ level in level.limit.map { level.value / $0 } }).max() else { return }
        let hasOne = levels.contains { $0.name == "current-level-buffers" && $0.value <= 1 }
        let state: State = most >= Self.fullShare ? .full : most <= Self.lowShare || hasOne ? .low : .middle
        if recent.count == Self.recentReadings { recent.removeFirst() }
        recent.append(state)
        full += state == .full ? 1 : 0
        low += state == .low ? 1 : 0
        count += 1
    }

    /// State in the last readings, or with `sinceStart` in all readings; nil with fewer than 3 readings.
    func state(sinceStart: Bool) -> State? {
        let full = sinceStart ? full : recent.count { $0 == .full }
        let low = sinceStart ? low : recent.count { $0 == .low }
        let count = sinceStart ? count : recent.count
        guard count >= 3 else { return nil }
        return full * 2 > count ? .full : low * 5 >= count * 4 ? .low : .middle
    }
}
