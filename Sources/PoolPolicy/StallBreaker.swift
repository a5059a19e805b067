/// A circuit breaker: stops adapting while a pool stalls too often, and tries again later.
///
/// Each trial that fails doubles the time to the next one.
public struct StallBreaker: Sendable {
    /// The raw value is the field `breaker` of the property `stats`.
    public enum State: String, Sendable {
        /// The pool adapts.
        case closed
        /// The pool has the size of its limit.
        case open
        /// The pool adapts again, on trial.
        case halfOpen = "half-open"
    }

    /// Share of acquires that may stall.
    static let tolerance = 0.1
    /// How long the tolerance may be exceeded.
    static let patience: Duration = .seconds(5)
    static let shortestRest: Duration = .seconds(30)
    static let longestRest: Duration = .seconds(240)

    public private(set) var state = State.closed
    private var stallingSince: Duration?
    private var changed: Duration = .zero
    private var rest = Self.shortestRest

    public init() {}

    /// Called at the end of a window that was `length` long.
    public mutating func windowEnded(acquires: Int, stalls: Int, length: Duration, at now: Duration) -> State {
        if Double(stalls) > Self.tolerance * Double(acquires) {
            stallingSince = stallingSince ?? now - length
        } else if acquires > 0 {
            stallingSince = nil
        }
        let isFailing = stallingSince.map { now - $0 >= Self.patience } ?? false
        switch state {
        case .closed where isFailing:
            open(at: now)
        case .halfOpen where isFailing:
            rest = min(rest * 2, Self.longestRest)
            open(at: now)
        case .halfOpen where now - changed >= Self.patience * 2:
            state = .closed
            rest = Self.shortestRest
        case .open where now - changed >= rest:
            state = .halfOpen
            changed = now
            stallingSince = nil
        default: break
        }
        return state
    }

    private mutating func open(at now: Duration) {
        state = .open
        changed = now
        stallingSince = nil
    }
}
