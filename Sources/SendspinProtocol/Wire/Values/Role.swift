/// A role that a client supports, with its version.
public enum Role: String, CaseIterable, Sendable {
    case player = "player@v1"
    case metadata = "metadata@v1"
    case controller = "controller@v1"
    case artwork = "artwork@v1"

    /// Name of the role without its version, which names its objects in messages.
    public var family: String {
        switch self {
        case .player: "player"
        case .metadata: "metadata"
        case .controller: "controller"
        case .artwork: "artwork"
        }
    }
}

/// A purpose of a connection, stated by the server.
public enum Activity: String, CaseIterable, Sendable {
    case playback
    case pairing
}

/// Reason for which a client closes a connection.
public enum GoodbyeReason: String, CaseIterable, Sendable {
    case anotherServer = "another_server"
    case shutdown
    case restart
    case userRequest = "user_request"
    case unauthorized
    case pairingRequired = "pairing_required"
    case concurrentAttempt = "concurrent_attempt"
    case unpaired
}
