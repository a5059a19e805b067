/// Bounds on what clients may take of the server.
public struct ServerLimits: Sendable {
    /// Largest number of clients at once; the next one receives 503.
    public var clients = 16
    /// Largest number of them that follow `/events`, so that `/metrics` remains reachable.
    public var streams = 12
    /// Largest request line and headers, in bytes.
    var requestBytes = 8192
    /// Time for a client to send its request.
    public var requestTime = Duration.seconds(2)
    /// Time without progress after which an answer or an event is abandoned.
    public var stallTime = Duration.seconds(5)
    /// Time for a whole answer or event.
    public var answerTime = Duration.seconds(30)
    /// Time after an answer during which the client may close its side first.
    public var closeTime = Duration.seconds(1)
    /// Time without events after which a stream receives a comment, which finds clients that have gone.
    public var heartbeat = Duration.seconds(10)
    /// Largest number of bytes behind a request that are read and discarded.
    public var discardedBytes = 262_144

    /// Limits for one machine and a few viewers.
    public init() {}
}
