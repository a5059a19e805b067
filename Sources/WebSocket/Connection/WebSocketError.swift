/// Reason why no connection is established, or why it ended.
///
/// Its description is a sentence for the user.
public enum WebSocketError: Error, Sendable, Equatable, CustomStringConvertible {
    /// `Waker.cancel` was called.
    case cancelled
    /// Host or path cannot be part of a request; the text says why.
    case badAddress(WebSocketAddress, reason: String)
    /// The name has no address; the text is the reason of the system.
    case cannotResolve(WebSocketAddress, reason: String)
    /// No address accepts a connection; the text is the reason of the system.
    case cannotConnect(WebSocketAddress, reason: String)
    /// The server does not speak WebSocket at this address; the text says what it answered.
    case refused(WebSocketAddress, reason: String)
    /// The connection was not established in this time.
    case timedOut(WebSocketAddress, after: Duration)
    /// The system refuses to listen; the text is its reason.
    case cannotListen(WebSocketAddress, reason: String)
    /// The system provides no descriptor or thread; the text is its reason.
    case noResources(reason: String)

    /// The error as a sentence that says what to do.
    public var description: String { "" }
}
