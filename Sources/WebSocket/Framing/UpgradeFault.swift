public import Sockets

/// Reason why an HTTP upgrade fails.
public enum UpgradeFault: Error, Sendable, Equatable {
    /// The head exceeds `limit` bytes.
    case tooLarge(limit: Int)
    /// The bytes are not a valid HTTP/1.1 head, for the reason in the clause.
    case malformed(String)
    /// The method is not GET.
    case methodNotAllowed
    /// The request is not for a WebSocket.
    case noUpgrade
    /// The request is for another version of the protocol.
    case versionNotSupported
    /// There is no WebSocket at this path.
    case notFound(path: String)
    /// The request comes from a web page.
    case fromWebPage(origin: String)
    /// The status code of the response is not 101.
    case status(Int, reason: String)
    /// The response does not accept the requested upgrade, for the reason in the clause.
    case notAccepted(String)

    /// Converts a fault of the HTTP head parser.
    public init(_ fault: HTTPHead.Fault) {
        switch fault {
        case .tooLarge(let limit): self = .tooLarge(limit: limit)
        case .malformed(let what): self = .malformed(what)
        }
    }

    /// The fault as a clause.
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

extension HTTPHeadReader {
    /// Calls `next` and throws its faults as `UpgradeFault`.
    mutating func nextForUpgrade(_ input: inout ArraySlice<UInt8>) throws(UpgradeFault) -> HTTPHead? {
        do { return try next(&input) } catch { throw UpgradeFault(error) }
    }
}
