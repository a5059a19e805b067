/// Decides when an alert about one limit is raised, eased and cleared.
///
/// It is raised when the long and the short window exceed a threshold, and cleared when the short window has stayed
/// below 0.9 times the warning threshold for 10 s. This is the multi-window rule of the SRE workbook.
struct AlertMachine: Sendable {
    /// State of the alert.
    enum State: Sendable, Equatable {
        /// No alert stands.
        case quiet
        /// An alert stands since a time; `milder` is the time since which the value permits a lower severity.
        case standing(Severity, since: Duration, milder: Duration?)
    }

    /// A change of the state.
    enum Change: Sendable, Equatable {
        case raised
        case eased
        case cleared(Severity, since: Duration)
    }

    /// Share of a threshold below which its alert is eased or cleared.
    static let clearShare = 0.9

    private(set) var state = State.quiet
    private let limits: Thresholds.Pair
    private let clearTime: Duration

    /// Creates a machine with the excess that raises alerts.
    ///
    /// The time to clear is two short windows.
    init(limits: Thresholds.Pair, shortWindow: Duration = .seconds(5)) {
        self.limits = limits
        clearTime = shortWindow * 2
    }

    /// Takes a reading; nil is a time without frames, in which an alert stands as before.
    mutating func tick(_ reading: AlertReading?, now: Duration) -> Change? {
        guard let reading else { return nil }
        let exceeded = severity(reading)
        guard case .standing(let severity, let since, let milder) = state else {
            guard let exceeded else { return nil }
            state = .standing(exceeded, since: now, milder: nil)
            return .raised
        }
        if let exceeded, exceeded > severity {
            state = .standing(exceeded, since: since, milder: nil)
            return .raised
        }
        let permitted = permittedSeverity(reading)
        guard permitted.map({ $0 < severity }) ?? true else {
            state = .standing(severity, since: since, milder: nil)
            return nil
        }
        let start = milder ?? now
        guard now >= start, now - start >= clearTime else {
            state = .standing(severity, since: since, milder: start)
            return nil
        }
        guard let permitted else {
            state = .quiet
            return .cleared(severity, since: since)
        }
        state = .standing(permitted, since: since, milder: nil)
        return .eased
    }

    /// The threshold that both windows exceed.
    private func severity(_ reading: AlertReading) -> Severity? {
        guard reading.isSufficient else { return nil }
        let excess = min(reading.longExcess, reading.shortExcess)
        return excess > limits.critical ? .critical : excess > limits.warning ? .warning : nil
    }

    /// The severity that the short window still supports.
    private func permittedSeverity(_ reading: AlertReading) -> Severity? {
        let excess = reading.shortExcess
        if excess >= limits.critical * Self.clearShare { return .critical }
        return excess >= limits.warning * Self.clearShare ? .warning : nil
    }
}
