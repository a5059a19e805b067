/// Reason why an HTTP upgrade fails.
public enum UpgradeFault: Error, Sendable, Equatable {
    /// The head is longer than allowed.
    case tooLarge(limit: Int)
    /// The bytes are no valid head of HTTP/1.1; the text says why.
    case malformed(String)
    /// The method is not GET.
    case methodNotAllowed
    /// The request does not ask for a WebSocket.
    case noUpgrade
    /// The request asks for another version of the protocol.
    case versionNotSupported
    /// There is no WebSocket at this path.
    case notFound(path: String)
    /// The request comes from a web page.
    case fromWebPage(origin: String)
    /// The server answered with another status code than 101.
    case status(Int, reason: String)
    /// The answer accepts no upgrade to the protocol that was requested; the text says why.
    case notAccepted(String)

    /// The fault, for a message to the user.
    public var reason: String {
        switch self {
        case .tooLarge(let limit): "the HTTP head has more than \(limit) bytes"
        case .malformed(let what): "the HTTP head is malformed: \(what)"
        case .methodNotAllowed: "the HTTP method is not GET"
        case .noUpgrade: "the request does not ask for a WebSocket"
        case .versionNotSupported: "the version of the WebSocket protocol is not 13"
        case .notFound(let path): "there is no WebSocket at the path \(PrintableText.make(path.utf8))"
        case .fromWebPage(let origin): "the request comes from the web page \(PrintableText.make(origin.utf8))"
        case .status(let code, let reason):
            "the server answered \(code)\(reason.isEmpty ? "" : " \(PrintableText.make(reason.utf8))")"
        case .notAccepted(let what): "the server did not accept the upgrade: \(what)"
        }
    }
}
