import Durations

/// The four times of a time request and its reply.
///
/// Source of offset and error: NTP, RFC 5905, section 8.
public struct TimeExchange: Sendable, Equatable {
    /// Local time at which `client/time` was sent.
    public var sent: Duration
    /// Server time at which the request arrived.
    public var received: Duration
    /// Server time at which `server/time` was sent.
    public var transmitted: Duration
    /// Local time at which the reply arrived.
    public var arrived: Duration

    /// Measured server time minus local time.
    public var offset: Duration { ((received - sent) + (transmitted - arrived)) / 2 }

    /// Half of the round-trip time without the time in the server: the largest possible error of `offset`.
    public var error: Duration { ((arrived - sent) - (transmitted - received)) / 2 }

    /// Whether the times are consistent; the server provides two of them.
    var isPlausible: Bool { sent <= arrived && received <= transmitted && error >= .zero }
}
