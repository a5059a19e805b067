/// How a connection has ended; its description is a clause for the user without host and port.
public enum WebSocketClosure: Sendable, Equatable, CustomStringConvertible {
    /// The peer has sent a close frame.
    case byPeer(CloseCode, reason: String)
    /// This side has called `close`.
    case byUs(CloseCode, reason: String)
    /// The peer has ended the TCP connection without a close frame.
    case withoutGoodbye
    /// The system has reported an error.
    case lost(reason: String)
    /// The peer has violated the protocol or a limit; the code names the kind of violation.
    case violation(CloseCode, reason: String)
    /// The peer has sent nothing for this time, not even a pong.
    case silent(for: Duration)
    /// The peer has not read for this time, while `bytes` waited to be sent.
    case stalled(for: Duration, bytes: Int)
    /// More than `limit` bytes would wait to be sent.
    case overrun(limit: Int)

    /// Violation of the protocol or a limit as a clause; nil if there is none.
    public var violation: String? { if case .violation(_, let reason) = self { reason } else { nil } }

    /// The reason as a clause.
    public var description: String {
        switch self {
        case .byPeer(let code, let reason):
            "the peer closed the connection (code \(code.rawValue)\(Self.quoted(reason)))"
        case .byUs(let code, let reason):
            "the connection was closed on this side (code \(code.rawValue)\(Self.quoted(reason)))"
        case .withoutGoodbye: "the peer ended the connection without a close frame; it may have been stopped"
        case .lost(let reason): "the connection was lost: \(reason)"
        case .violation(_, let reason): "the peer violated the WebSocket protocol: \(reason)"
        case .silent(let time):
            "the peer sent nothing for \(PrintableText.make(time)), not even the answer to a ping; check the network"
        case .stalled(let time, let bytes):
            "the peer accepted no data for \(PrintableText.make(time)), while \(bytes) bytes waited to be sent"
        case .overrun(let limit):
            "the peer reads too slowly: more than \(limit) bytes would wait to be sent"
        }
    }

    private static func quoted(_ reason: String) -> String {
        reason.isEmpty ? "" : ", \"\(PrintableText.make(reason.utf8))\""
    }
}
