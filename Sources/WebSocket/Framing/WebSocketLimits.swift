/// Bounds on time and memory of a connection.
public struct WebSocketLimits: Sendable {
    /// Largest message that is received, in bytes; a larger one closes the connection with code 1009.
    public var messageBytes = 1 << 20
    /// Largest number of bytes that wait to be sent; one more message closes the connection.
    public var unsentBytes = 4 << 20
    /// Time in which a connection is established, from the resolution of the name to the end of the HTTP upgrade.
    public var connectTime = Duration.seconds(10)
    /// Time without any byte of the peer after which a ping is sent.
    public var idleTime = Duration.seconds(10)
    /// Time after a ping in which the peer must send something.
    public var pongTime = Duration.seconds(10)
    /// Time for which bytes may wait to be sent although the peer accepts none.
    public var stallTime = Duration.seconds(10)
    /// Time for which `close` waits for the peer.
    public var closeTime = Duration.seconds(1)

    /// The default limits.
    public init() {}
}
