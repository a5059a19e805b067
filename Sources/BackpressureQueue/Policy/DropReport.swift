/// When to speak of drops, so that each of them does not.
public struct DropReport: Sendable, Equatable {
    /// At least this long lies between two messages about quality of service, in nanoseconds.
    public static let messageSpacing: UInt64 = 1_000_000_000

    /// What to say now.
    public struct Announcement: Sendable, Equatable {
        /// A line in the log, and a message to the application.
        public var drops = false
        /// Counts for whoever watches the quality of service.
        public var quality = false

        public init(drops: Bool = false, quality: Bool = false) {
            self.drops = drops
            self.quality = quality
        }

        public var isSilent: Bool { !drops && !quality }
    }

    private var unsaid: UInt32 = 0
    private var lastMessageAt: UInt64?

    public init() {}

    /// `count` frames were dropped; `interval` is how many make one announcement, 0 for none ever.
    public mutating func framesDropped(_ count: UInt32, interval: UInt32, now: UInt64) -> Announcement {
        var announcement = Announcement()
        unsaid = unsaid > .max - count ? .max : unsaid + count
        if interval > 0, unsaid >= interval {
            unsaid %= interval
            announcement.drops = true
        }
        if lastMessageAt.map({ now &- $0 >= Self.messageSpacing }) ?? true {
            lastMessageAt = now
            announcement.quality = true
        }
        return announcement
    }
}
