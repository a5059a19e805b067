import Durations

/// Offsets that the exchanges since the last step permit, whatever the network does.
///
/// An exchange proves that the offset differs from its own by at most its error, and the rates of real clocks differ by at
/// most `maxDrift`. The bounds only become narrower otherwise, so a server cannot move the estimate by many small changes.
struct OffsetBounds: Sendable {
    /// Rounding of the times of a server.
    static let tolerance = Duration.microseconds(500)

    private var lowest: Duration
    private var highest: Duration
    private var at: Duration

    init(_ exchange: TimeExchange) {
        (lowest, highest) = (exchange.offset - exchange.error, exchange.offset + exchange.error)
        at = exchange.arrived
    }

    /// Whether no clock at the bounds can be that of `exchange`.
    func exclude(_ exchange: TimeExchange) -> Bool {
        let slack = drift(until: exchange.arrived) + Self.tolerance
        return exchange.offset + exchange.error < lowest - slack || exchange.offset - exchange.error > highest + slack
    }

    mutating func narrow(by exchange: TimeExchange) {
        let drift = drift(until: exchange.arrived)
        lowest = max(lowest - drift, exchange.offset - exchange.error)
        highest = min(highest + drift, exchange.offset + exchange.error)
        at = exchange.arrived
    }

    private func drift(until time: Duration) -> Duration {
        Duration(microseconds: max(time - at, .zero).inMicroseconds * ClockEstimate.maxDrift)
    }
}
