import Durations

/// A value that is valid from a server time on.
protocol ServerTimed: Sendable {
    var timestamp: Duration { get }
}

extension Session {
    /// Time before its display at which something is reported, so that it can reach lamps and displays in time.
    static let displayLead = Duration.milliseconds(200)

    /// Keeps a value until it becomes valid; at most one value is pending.
    struct Scheduled<Value: ServerTimed>: Sendable {
        /// Time before its validity at which a value is reported.
        private let lead: Duration
        private var pending: Value?
        private var current: Value?

        init(lead: Duration = .zero) { self.lead = lead }

        /// The last received value; legacy servers send changes of metadata relative to it.
        var latest: Value? { pending ?? current }

        mutating func receive(_ value: Value) { pending = value }

        /// Local time at which the pending value is reported; zero if there is no estimate.
        func deadline(_ estimate: ClockEstimate?) -> Duration? {
            pending.map { value in estimate.map { $0.localTime(of: value.timestamp) - lead } ?? .zero }
        }

        mutating func advance(to now: Duration, _ estimate: ClockEstimate?) -> Value? {
            guard let due = deadline(estimate), due <= now else { return nil }
            current = pending
            pending = nil
            return current
        }

        /// Discards all values; returns whether there was any.
        mutating func clear() -> Bool {
            defer { (pending, current) = (nil, nil) }
            return latest != nil
        }
    }
}
