/// Accepts connections at one address and port.
///
/// One thread drives it. Each accepted connection may be driven by a thread of its own.
public final class WebSocketListener: @unchecked Sendable {  // One thread at a time drives it.
    /// Bounds on connections whose HTTP upgrade is not complete.
    public struct Limits: Sendable {
        /// Largest number of connections whose upgrade is not complete; the oldest one ends for the next.
        public var pending = 8
        /// Time in which the upgrade of a connection must be complete.
        public var upgradeTime = Duration.seconds(5)

        /// The default limits.
        public init() {}
    }

    /// Result of `accept`.
    public enum Event: Sendable {
        /// A connection, with its own waker.
        case connection(WebSocket)
        /// The deadline has passed.
        case timeout
        /// The waker was woken.
        case woken
        /// The waker was cancelled.
        case cancelled
    }

    /// Listens at a numeric address; port 0 stands for any free port.
    ///
    /// Only requests for the path of the address are accepted. Requests of web pages (with an Origin header) are
    /// refused, because any page that the user opens could send them.
    public init(
        at address: WebSocketAddress, limits: Limits = Limits(), connectionLimits: WebSocketLimits = WebSocketLimits(),
        waker: Waker
    ) throws(WebSocketError) { throw .cancelled }

    /// The address with the port in use.
    public var address: WebSocketAddress { WebSocketAddress(host: "", port: 0) }

    /// Waits for a connection whose upgrade is complete, until the time of `MonotonicClock`.
    ///
    /// Upgrades proceed only while this method runs.
    public func accept(until deadline: Duration?) -> Event { .timeout }

    /// Ends the listening and the connections whose upgrade is not complete; `accept` then returns `.cancelled`.
    public func close() {}
}
