/// Severity of an alert.
public enum Severity: String, Sendable, Comparable, CaseIterable {
    /// The warning threshold is exceeded.
    case warning
    /// The critical threshold is exceeded.
    case critical

    /// Compares severities; critical is more than a warning.
    public static func < (one: Self, other: Self) -> Bool { one == .warning && other == .critical }
}

/// An alert that stands, or has just been cleared.
public struct Alert: Sendable, Equatable {
    /// Severity: the highest one of now if it stands, the last one if it was cleared.
    public var severity: Severity
    /// Name of the element, or `pipeline`.
    public var element: String
    /// Metric whose limit is exceeded.
    public var metric: Metric
    /// Limit of the target, in the unit of the metric.
    public var target: Double
    /// Value in the long window, in the unit of the metric.
    ///
    /// For `compliance` it is the share of the frames within the limit and its tolerance.
    public var value: Double
    /// Value in the short window.
    public var recent: Double
    /// Length of the long window.
    public var window: Duration
    /// Number of frames, or of samples, in the long window.
    public var samples: UInt64
    /// Time at which it was raised.
    public var since: Duration
    /// Lower rates that the target permits.
    public var tiers: [Target.Tier]
    /// Whether the values are those of the last tick; false in a pause, in a gap, after EOS, and while there are none.
    public var isCurrent = true
}

/// A change of an alert, and when it happened.
public struct AlertNote: Sendable, Equatable {
    /// Time since the monitor started.
    public var time: Duration
    /// The change.
    public var event: AlertEvent

    /// Creates a note.
    public init(time: Duration, event: AlertEvent) {
        self.time = time
        self.event = event
    }
}

/// A change of an alert; each is one message.
public enum AlertEvent: Sendable, Equatable {
    /// An alert was raised, or a warning became critical.
    case raised(Alert)
    /// A critical alert became a warning.
    case eased(Alert)
    /// The alert no longer stands.
    case cleared(Alert)

    /// The alert that changed.
    public var alert: Alert {
        switch self {
        case .raised(let alert), .eased(let alert), .cleared(let alert): alert
        }
    }

    /// Name of the change for a message: `raised`, `eased`, `cleared`.
    public var name: String {
        switch self {
        case .raised: "raised"
        case .eased: "eased"
        case .cleared: "cleared"
        }
    }
}
