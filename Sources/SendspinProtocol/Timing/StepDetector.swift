import Durations

/// Detects that the server clock was set, from exchanges that the estimate cannot explain.
///
/// The filter alone needs minutes to follow a step: it forgets only by a factor of 4 per burst. One exchange is no proof,
/// so the next one must agree with it.
struct StepDetector: Sendable {
    enum Judgement {
        case consistent
        /// The exchange must not be used, and the next one decides.
        case suspicious
        /// The clock was set before the exchange, which agrees with `first`.
        case stepped(first: TimeExchange?)
    }

    /// Lowest residual of a step in microseconds; the filter follows less on its own.
    static let leastResidual = 500.0
    /// Lowest residual of a step, as a multiple of the highest error of the exchange.
    static let residualPerError = 3.0
    /// Lowest residual of a step, as a multiple of the standard deviation of the prediction.
    static let residualPerDeviation = 4.0
    /// Number of contradictory exchanges that do not agree with each other after which the estimate is dropped.
    static let maxSuspicions = 4

    private var suspicion: TimeExchange?
    private var suspicionCount = 0
    private var bounds: OffsetBounds?

    /// Whether the difference of `exchange` to the estimate is explained neither by the network nor by the estimate.
    func contradicts(_ exchange: TimeExchange, _ filter: TimeFilter) -> Bool {
        if bounds?.exclude(exchange) ?? false { return true }
        guard let residual = filter.residual(of: exchange) else { return false }
        return residual.value.magnitude
            > max(
                Self.leastResidual, Self.residualPerError * exchange.error.inMicroseconds,
                Self.residualPerDeviation * residual.deviation)
    }

    mutating func judge(_ exchange: TimeExchange, _ filter: TimeFilter) -> Judgement {
        guard contradicts(exchange, filter) else {
            suspicion = nil
            suspicionCount = 0
            if bounds?.narrow(by: exchange) == nil { bounds = OffsetBounds(exchange) }
            return .consistent
        }
        suspicionCount += 1
        let previous = suspicion
        suspicion = exchange
        let agreeing = previous.flatMap { Self.agree($0, exchange) ? $0 : nil }
        guard agreeing != nil || suspicionCount >= Self.maxSuspicions else { return .suspicious }
        suspicion = nil
        suspicionCount = 0
        bounds = OffsetBounds(agreeing ?? exchange)
        bounds?.narrow(by: exchange)
        return .stepped(first: agreeing)
    }

    /// Whether the offsets of two exchanges differ by no more than their errors and the highest drift.
    private static func agree(_ a: TimeExchange, _ b: TimeExchange) -> Bool {
        let passed = (b.arrived - a.arrived).inMicroseconds
        let difference = (b.offset - a.offset).inMicroseconds.magnitude
        return difference <= (a.error + b.error).inMicroseconds + passed * ClockEstimate.maxDrift
    }
}
