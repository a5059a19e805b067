/// Reason why a session has failed.
public struct SessionFailure: Error, Equatable, Sendable {
    /// Kind of a failure.
    public enum Kind: Equatable, Sendable {
        /// The server does not accept this client or its version.
        case refused
        /// The server closed the connection during the handshake; it may support only the legacy dialect.
        case closedInHandshake
        /// The connection was closed.
        case connectionLost
        /// The server did not answer in time.
        case timeout
        /// The server violated the protocol.
        case violation
        /// The keys do not match.
        case authentication
        /// The server has an unexpected identity.
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

    /// Kind of the failure.
    public let kind: Kind
    /// One or two sentences: the fault and its remedy.
    public let text: String

    /// Whether a new connection may succeed without an action of the user.
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
