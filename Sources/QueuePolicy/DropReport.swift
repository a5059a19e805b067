import Durations

/// Actions after drops, which the caller executes without the mutex.
public struct DropActions: Sendable, Equatable {
    /// Whether a log line and an element message are due.
    public var postsDrops = false
    /// Whether a QoS message with the counters is due.
    public var postsQuality = false
    /// Field `count` of the key unit request to send upstream; nil if no request is due.
    public var keyUnit: UInt32?

    public init() {}
}

/// Rate limit of log lines and messages about drops.
public struct DropReport: Sendable, Equatable {
    /// Minimum time between two QoS messages, so that a burst of drops does not flood the bus (promised in
    /// docs/elements/backpressurequeue.md).
    static let messageSpacing = Duration.seconds(1)

    /// Number of drops since the last log line.
    private var unreported: UInt32 = 0
    private var lastMessageAt: Duration?

    public init() {}

    /// Counts `count` dropped frames and returns the messages that are due.
    ///
    /// `interval` is the number of drops per log line and message; 0 disables them.
    public mutating func framesDropped(_ count: UInt32, interval: UInt32, now: Duration) -> DropActions {
        var actions = DropActions()
        unreported = unreported > .max - count ? .max : unreported + count
        if interval > 0, unreported >= interval {
            unreported %= interval
            actions.postsDrops = true
        }
        if lastMessageAt.map({ now - $0 >= Self.messageSpacing }) ?? true {
            lastMessageAt = now
            actions.postsQuality = true
        }
        return actions
    }
}
