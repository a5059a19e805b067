import Durations

/// Relation of the server clock to the local clock.
public struct ClockEstimate: Sendable, Equatable {
    /// Local time of the estimate.
    public var at: Duration
    /// Server time minus local time, at `at`.
    public var offset: Duration
    /// Rate of the server clock relative to the local clock, minus 1; 0 if the drift is not significant.
    public var drift: Double
    /// Standard deviation of `offset`.
    public var uncertainty: Duration

    /// Largest magnitude of a drift: each clock is off by at most the 500 ppm that NTP tolerates (RFC 5905, section 4).
    public static let maxDrift = 1e-3

    /// Creates an estimate; a drift beyond `maxDrift` is replaced by 0.
    public init(at: Duration, offset: Duration, drift: Double, uncertainty: Duration) {
        self.at = at
        self.offset = offset
        self.drift = drift.magnitude <= Self.maxDrift ? drift : 0
        self.uncertainty = uncertainty
    }

    /// Server time at a local time.
    public func serverTime(at local: Duration) -> Duration {
        local + offset + Duration(microseconds: drift * (local - at).inMicroseconds)
    }

    /// Local time at a server time.
    public func localTime(of server: Duration) -> Duration {
        // With t = at: (server - offset + drift t) / (1 + drift) = t + (server - offset - t) / (1 + drift). Only the
        // small term uses floating point.
        let passed = server - offset - at
        return at + passed - Duration(microseconds: passed.inMicroseconds * drift / (1 + drift))
    }
}
