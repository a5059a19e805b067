import SendspinSecurity

/// Step of the protocol that a session waits for.
enum SessionPhase: Sendable {
    /// `start` has not been called.
    case idle
    /// Waits for `server/init`; the bytes that were sent enter the handshake.
    case awaitingIdentity(sent: [UInt8])
    /// Waits for the first message of the handshake.
    case awaitingHandshake(prologue: [UInt8], server: PublicKey)
    /// Waits for `server/hello`.
    case awaitingHello
    /// Waits for `server/activate`; nothing may be sent before it.
    case awaitingActivation(isFirst: Bool)
    case active
    case closed
}

extension SessionPhase {
    /// The step as the object of "waited for …".
    var description: String {
        switch self {
        case .idle: "the connection"
        case .awaitingIdentity: "the identity of the server (server/init)"
        case .awaitingHandshake: "the handshake of the server (noise/handshake)"
        case .awaitingHello: "the greeting of the server (server/hello)"
        case .awaitingActivation: "the activation by the server (server/activate)"
        case .active: "a role for this player (server/activate)"
        case .closed: "the end of the connection"
        }
    }

    var isActive: Bool {
        if case .active = self { true } else { false }
    }

    var isClosed: Bool {
        if case .closed = self { true } else { false }
    }

    /// Whether the server may send messages of an open connection.
    var isOpen: Bool {
        switch self {
        case .awaitingHello, .awaitingActivation, .active: true
        case .idle, .awaitingIdentity, .awaitingHandshake, .closed: false
        }
    }
}
