import Durations

/// The four times of a request of the time and its reply.
///
/// The offset and its error are those of NTP: RFC 5905, section 8.
public struct TimeExchange: Sendable, Equatable {
    /// Local time at which `client/time` was sent.
    public var sent: Duration
    /// Server time at which the request arrived.
    public var received: Duration
    /// Server time at which `server/time` was sent.
    public var transmitted: Duration
    /// Local time at which the reply arrived.
    public var arrived: Duration

    /// An exchange with its four times.
    public init(sent: Duration, received: Duration, transmitted: Duration, arrived: Duration) {
        self.sent = sent
        self.received = received
        self.transmitted = transmitted
        self.arrived = arrived
    }

    /// Measured server time minus local time.
    public var offset: Duration { ((received - sent) + (transmitted - arrived)) / 2 }

    /// Half of the time that the two messages took: the highest possible error of `offset`.
    public var error: Duration { ((arrived - sent) - (transmitted - received)) / 2 }

    /// Whether the times can be those of an exchange.
    ///
    /// The server chooses two of the times, so they may contradict each other.
    var isPlausible: Bool { sent <= arrived && received <= transmitted && error >= .zero }
}
