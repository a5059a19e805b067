import Durations

/// Clock of a fake server, computed from the monotonic clock with an offset, a drift and steps.
package struct ServerClock: Sendable, Equatable {
    /// Local time at which the server time is `serverReference`.
    private var localReference: Duration
    private var serverReference: Duration
    /// Rate of the server relative to the local clock, minus 1.
    private var drift: Double

    /// Creates a clock that is `offset` ahead at the local time `start`, and `partsPerMillion` faster.
    package init(offset: Duration = .zero, partsPerMillion: Double = 0, at start: Duration = .zero) {
        localReference = start
        serverReference = start + offset
        drift = partsPerMillion * 1e-6
    }

    /// Time of the server at a local time.
    package func time(at local: Duration) -> Duration {
        let elapsed = local - localReference
        return serverReference + elapsed + (elapsed * drift)
    }

    /// Local time at which the server time is `server`.
    package func local(of server: Duration) -> Duration {
        let elapsed = server - serverReference
        return localReference + (elapsed / (1 + drift))
    }

    /// Sets the clock forward, or back if `amount` is negative.
    package mutating func step(by amount: Duration) { serverReference += amount }

    /// Changes the rate from the local time `now` on, without a jump of the time.
    package mutating func setDrift(partsPerMillion: Double, at now: Duration) {
        serverReference = time(at: now)
        localReference = now
        drift = partsPerMillion * 1e-6
    }
}
