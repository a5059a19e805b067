import Durations

/// Relation of the server clock to the local clock.
public struct ClockEstimate: Sendable, Equatable {
    /// Local time of the estimate.
    public var at: Duration
    /// Server time minus local time, at `at`.
    public var offset: Duration
    /// Rate of the server clock relative to the local clock, minus 1.
    ///
    /// 0 until the drift is significant. Its magnitude is at most `maxDrift`.
    public var drift: Double
    /// Standard deviation of `offset`.
    public var uncertainty: Duration

    /// Highest magnitude of a drift: each of the two clocks has at most the highest frequency error that NTP tolerates, 500
    /// ppm (RFC 5905, section 4).
    public static let maxDrift = 1e-3

    /// An estimate; a drift of more than `maxDrift` is replaced by 0.
    public init(at: Duration, offset: Duration, drift: Double, uncertainty: Duration) {
        self.at = at
        self.offset = offset
        self.drift = drift.magnitude <= Self.maxDrift ? drift : 0
        self.uncertainty = uncertainty
    }

    /// The server time at the local time `local`.
    public func serverTime(at local: Duration) -> Duration {
        local + offset + Duration(microseconds: drift * (local - at).inMicroseconds)
    }

    /// The local time at which the server clock shows `server`.
    public func localTime(of server: Duration) -> Duration {
        // With t = at: (server - offset + drift t) / (1 + drift) = t + (server - offset - t) / (1 + drift). Only the
        // small part is a floating-point number.
        let passed = server - offset - at
        return at + passed - Duration(microseconds: passed.inMicroseconds * drift / (1 + drift))
    }
}
