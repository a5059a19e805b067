/// Reason for which a session failed.
public struct SessionFailure: Error, Equatable, Sendable {
    /// Class of the failure, for decisions of the owner.
    public enum Kind: Equatable, Sendable {
        /// The server does not accept this client or its version.
        case refused
        /// The server closed the connection before the handshake was complete. It may speak only the legacy dialect.
        case closedInHandshake
        /// The connection was closed.
        case connectionLost
        /// The server did not answer in time.
        case timeout
        /// The server violated the protocol.
        case violation
        /// The keys do not match.
        case authentication
        /// Another server than the expected one answered.
        case otherIdentity
        /// The server requested an activity for which it must be paired first.
        case pairingRequired
        /// The server requested an activity that its key does not permit.
        case unauthorized
        /// The server deleted the pairing.
        case unpaired
        /// Another server plays.
        case otherServer
    }

    /// Class of the failure.
    public let kind: Kind
    /// One or two sentences: what was wrong, and what to do.
    public let text: String

    /// Whether a new connection may succeed without a change by the user.
    public var isTransient: Bool {
        switch kind {
        case .closedInHandshake, .connectionLost, .timeout, .violation, .otherServer: true
        case .refused, .authentication, .otherIdentity, .pairingRequired, .unauthorized, .unpaired: false
        }
    }

    init(_ kind: Kind, _ text: String) {
        self.kind = kind
        self.text = text
    }
}

extension SessionFailure: CustomStringConvertible {
    /// Same as `text`.
    public var description: String { text }
}
