import Durations

/// Rate limit of log lines and messages about drops.
public struct DropReport: Sendable, Equatable {
    /// Minimum time between two QoS messages, so that a burst of drops does not flood the bus.
    static let messageSpacing = Duration.seconds(1)

    /// Messages that are due.
    public struct Announcement: Sendable, Equatable {
        /// A log line and an element message.
        public var drops = false
        /// A QoS message with the counters.
        public var quality = false

        /// Creates an announcement from its parts.
        public init(drops: Bool = false, quality: Bool = false) {
            self.drops = drops
            self.quality = quality
        }

        /// Whether nothing is due.
        public var isSilent: Bool { !drops && !quality }
    }

    /// Number of drops since the last log line.
    private var unreported: UInt32 = 0
    private var lastMessageAt: Duration?

    public init() {}

    /// Counts `count` dropped frames and returns the messages that are due.
    ///
    /// `interval` is the number of drops per log line and message; 0 disables them.
    public mutating func framesDropped(_ count: UInt32, interval: UInt32, now: Duration) -> Announcement {
        var announcement = Announcement()
        unreported = unreported > .max - count ? .max : unreported + count
        if interval > 0, unreported >= interval {
            unreported %= interval
            announcement.drops = true
        }
        if lastMessageAt.map({ now - $0 >= Self.messageSpacing }) ?? true {
            lastMessageAt = now
            announcement.quality = true
        }
        return announcement
    }
}
