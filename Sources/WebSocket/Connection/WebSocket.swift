public import WebSocketFraming

/// A connection that exchanges messages (RFC 6455) over TCP, as a client or as one that a listener accepted.
///
/// One thread at a time drives it: all methods and properties but those of its waker belong to that thread. No method
/// raises SIGPIPE, and no main loop is required.
public final class WebSocket: @unchecked Sendable {  // One thread at a time drives it; the waker is thread-safe.
    /// Ends a wait from another thread.
    public let waker: Waker

    /// Connects to a server; blocks until the connection is established, has failed, or the waker is cancelled.
    public static func connect(
        to address: WebSocketAddress, limits: WebSocketLimits = WebSocketLimits(), waker: Waker
    ) throws(WebSocketError) -> WebSocket { throw .cancelled }

    init(waker: Waker) { self.waker = waker }

    /// Address and port of the peer, numeric, for messages to the user.
    public var peer: String { "" }

    /// Bytes that wait to be sent.
    public var unsentBytes: Int { 0 }

    /// How the connection ended; nil while it is open.
    public var closure: WebSocketClosure? { nil }

    /// Waits for a message until the time of `MonotonicClock`; sends meanwhile what waits to be sent.
    ///
    /// Without a deadline it waits for an event. Pings are answered and sent only while this method runs, so call it at
    /// least every few seconds. It reads no more than one message ahead of the caller.
    public func wait(until deadline: Duration?) -> WebSocketEvent { .timeout }

    /// Sends a message, or the part that the socket takes; `wait` sends the rest.
    ///
    /// It never blocks. False if the connection has ended; it ends if the peer does not read and `unsentBytes` exceeds its limit.
    @discardableResult
    public func send(_ message: WebSocketMessage) -> Bool { false }

    /// Sends what waits to be sent until the time of `MonotonicClock`; true if nothing is left.
    ///
    /// Cancelling the waker ends it.
    @discardableResult
    public func flush(until deadline: Duration) -> Bool { false }

    /// Ends the connection with a close frame, for whose answer it waits for at most `WebSocketLimits.closeTime`.
    ///
    /// Messages that arrive meanwhile are discarded. Releasing the last reference ends the connection without a close
    /// frame.
    public func close(_ code: CloseCode = .normal, reason: String = "") {}
}
