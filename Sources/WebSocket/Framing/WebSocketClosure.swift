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

    /// How the peer violated the protocol or a limit, as a clause; nil if it did not.
    public var violation: String? { if case .violation(_, let reason) = self { reason } else { nil } }

    /// The reason as a sentence.
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
