/// Result of `WebSocket.wait`.
public enum WebSocketEvent: Sendable, Equatable {
    /// A message; the time of `MonotonicClock` was taken directly after the read that completed it.
    case message(WebSocketMessage, arrivedAt: Duration)
    /// The connection has ended; every later wait returns the same.
    case closed(WebSocketClosure)
    /// The deadline has passed.
    case timeout
    /// `Waker.wake` was called.
    case woken
    /// `Waker.cancel` was called; the connection is open until `close`.
    case cancelled
}
