public import WebSocketFraming

/// How a connection ended.
///
/// Its description is a sentence for the user, without host and port.
public enum WebSocketClosure: Sendable, Equatable, CustomStringConvertible {
    /// The peer sent a close frame.
    case byPeer(CloseCode, reason: String)
    /// This side called `close`.
    case byUs(CloseCode, reason: String)
    /// The peer ended the TCP connection without a close frame.
    case withoutGoodbye
    /// The system reported an error; the text is its reason.
    case lost(reason: String)
    /// The peer violated the protocol or a limit; it received `code`.
    case violation(CloseCode, reason: String)
    /// The peer sent nothing for this time, not even the answer to a ping.
    case silent(for: Duration)
    /// The peer did not read for this time, while `bytes` waited to be sent.
    case stalled(for: Duration, bytes: Int)
    /// More than `limit` bytes would have waited to be sent.
    case overrun(limit: Int)

    /// The reason as a sentence.
    public var description: String { "" }
}
