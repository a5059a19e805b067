/// Limits of the resources that clients may use.
public struct ServerLimits: Sendable {
    /// Maximum number of concurrent clients; a further client receives 503 unless another connection can be ended.
    public var clients = 16
    /// Maximum number of clients that receive `/events`, so that `/metrics` remains reachable.
    public var streams = 12
    /// Time for a client to send its request.
    public var requestTime = Duration.seconds(2)
    /// Time without progress after which a response or an event is abandoned.
    public var stallTime = Duration.seconds(5)
    /// Maximum time of a whole response or event.
    public var answerTime = Duration.seconds(30)
    /// Time after a response during which the client may close its side first.
    public var closeTime = Duration.seconds(1)
    /// Time without events after which a stream receives a comment, which detects disconnected clients.
    public var heartbeat = Duration.seconds(10)
    /// Maximum number of bytes after a request that are read and discarded.
    public var discardedBytes = 262_144

    /// Creates limits for one machine and a few viewers.
    public init() {}
}
