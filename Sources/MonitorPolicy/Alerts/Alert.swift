/// Severity of an alert.
public enum Severity: String, Sendable, Comparable {
    /// The warning threshold is exceeded.
    case warning
    /// The critical threshold is exceeded.
    case critical

    /// Orders severities: a warning is less than critical.
    public static func < (one: Self, other: Self) -> Bool { one == .warning && other == .critical }
}

/// An alert, either active or just cleared.
public struct Alert: Sendable, Equatable {
    /// Severity of the active alert; its last severity if it was cleared.
    public var severity: Severity
    /// Name of the element, or `pipeline`.
    public var element: String
    /// Metric whose limit is exceeded.
    public var metric: Metric
    /// Limit of the target, in the unit of the metric.
    public var target: Double
    /// Value in the long window; for `compliance`, the share of the frames within the limit and its tolerance.
    public var value: Double
    /// Value in the short window.
    public var recent: Double
    /// Length of the long window.
    public var window: Duration
    /// Number of frames, or of samples, in the long window.
    public var samples: UInt64
    /// Time at which the alert was raised.
    public var since: Duration
    /// Lower rates that the target permits.
    public var tiers: [Target.Tier]
    /// Whether the values are those of the last tick; false in a pause or a gap, after EOS, and without values.
    public var isCurrent = true
}

/// A change of an alert, and the time of the change.
struct AlertNote: Sendable, Equatable {
    /// Time since the monitor started.
    var time: Duration
    /// The change.
    var event: AlertEvent
}

/// A change of an alert; each one is reported in one message.
public struct AlertEvent: Sendable, Equatable {
    /// Changes, with their names in messages.
    public enum Change: String, Sendable {
        /// An alert was raised or became critical; was critical and became a warning; or is no longer active.
        case raised, eased, cleared
    }

    /// The change.
    public var change: Change
    /// The alert that changed.
    public var alert: Alert
}
