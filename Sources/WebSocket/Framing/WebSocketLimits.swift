/// Limits of time and memory of a connection.
public struct WebSocketLimits: Sendable {
    /// Maximum number of bytes of a received message; a larger one closes the connection with code 1009.
    public var messageBytes = 1 << 20
    /// Maximum number of bytes that wait to be sent; exceeding it ends the connection.
    public var unsentBytes = 4 << 20
    /// Time to establish a connection, from name resolution to the end of the HTTP upgrade.
    public var connectTime = Duration.seconds(10)
    /// Time without received bytes after which a ping is sent.
    public var idleTime = Duration.seconds(10)
    /// Time after a ping in which the peer must send a byte.
    public var pongTime = Duration.seconds(10)
    /// Time for which bytes may wait while the peer accepts none.
    public var stallTime = Duration.seconds(10)
    /// Time for which `close` waits for the peer.
    public var closeTime = Duration.seconds(1)

    /// Creates the default limits.
    public init() {}
}
