/// How often a queue was full, or nearly empty, when it was read.
struct QueueFill: Sendable {
    /// How full a queue was most of the time.
    enum Level: Sendable {
        /// It was full in more than half of the readings.
        case full
        /// It was nearly empty in at least four of five readings: the elements behind it wait for frames.
        case low
        /// All else.
        case middle
    }

    /// Share of a limit from which a queue is full.
    private static let fullShare = 0.9
    /// Share of all limits up to which a queue is nearly empty; one buffer may be a larger share.
    private static let lowShare = 0.2
    /// Readings of the last 5 s.
    private static let recentReadings = 5

    private var recent: [Level] = []
    private var full = 0
    private var low = 0
    private var count = 0

    /// Takes the levels of one reading; those without limits say nothing.
    ///
    /// Only levels of the queue itself count, not frames in flight behind it. An element that was removed has none.
    mutating func tick(_ levels: [ElementSnapshot.Level]) {
        guard !levels.isEmpty else {
            self = QueueFill()
            return
        }
        let levels = levels.filter { $0.name.hasPrefix("current-level-") }
        guard let most = levels.compactMap({ level in level.limit.map { level.value / $0 } }).max() else { return }
        let hasOne = levels.contains { $0.name == "current-level-buffers" && $0.value <= 1 }
        let level: Level = most >= Self.fullShare ? .full : most <= Self.lowShare || hasOne ? .low : .middle
        if recent.count == Self.recentReadings { recent.removeFirst() }
        recent.append(level)
        full += level == .full ? 1 : 0
        low += level == .low ? 1 : 0
        count += 1
    }

    /// The level of most of the last readings, or of all with `sinceStart`; nil below 3 readings.
    func level(sinceStart: Bool) -> Level? {
        let full = sinceStart ? full : recent.count { $0 == .full }
        let low = sinceStart ? low : recent.count { $0 == .low }
        let count = sinceStart ? count : recent.count
        guard count >= 3 else { return nil }
        return full * 2 > count ? .full : low * 5 >= count * 4 ? .low : .middle
    }
}
