import Durations

/// Holds the metadata until the time from which it is valid; at most one is pending.
struct MetadataTimeline: Sendable {
    private var pending: Metadata?
    private var current: Metadata?

    /// The metadata that arrived last, which changes of legacy servers refer to.
    var latest: Metadata? { pending ?? current }

    /// Takes metadata; it replaces a pending one.
    mutating func receive(_ metadata: Metadata) { pending = metadata }

    /// Local time at which pending metadata becomes valid; without an estimate it is valid at once.
    func deadline(_ estimate: ClockEstimate?) -> Duration? {
        pending.map { estimate?.localTime(of: $0.timestamp) ?? .zero }
    }

    /// Returns metadata that becomes valid at `now`.
    mutating func advance(to now: Duration, _ estimate: ClockEstimate?) -> Metadata? {
        guard let due = deadline(estimate), due <= now else { return nil }
        current = pending
        pending = nil
        return current
    }

    /// Discards all; returns whether there was any.
    mutating func clear() -> Bool {
        defer { self = Self() }
        return latest != nil
    }
}
