/// A role of a client with its version.
public enum Role: String, CaseIterable, Sendable {
    /// Plays audio.
    case player = "player@v1"
    /// Receives the description of the track.
    case metadata = "metadata@v1"
    /// Sends commands.
    case controller = "controller@v1"
    /// Receives images.
    case artwork = "artwork@v1"
    /// Receives colours that suit the music; only on an encrypted connection.
    case color = "color@v1"
    /// Receives loudness, beats and spectrum of the music; only on an encrypted connection.
    case visualizer = "visualizer@v1"
    /// Sends captured audio to the server; only on an encrypted connection.
    case source = "source@v1"

    /// Name of the role without its version, as in `stream/clear` and `stream/end`.
    public var family: String {
        switch self {
        case .player: "player"
        case .metadata: "metadata"
        case .controller: "controller"
        case .artwork: "artwork"
        case .color: "color"
        case .visualizer: "visualizer"
        case .source: "source"
        }
    }

    /// Roles that the legacy dialect lacks, or has in another form, and the source, whose audio is always encrypted.
    static let encryptedOnly: Set<Role> = [.color, .visualizer, .source]
}

/// An activity of a connection.
public enum Activity: String, CaseIterable, Sendable {
    /// The server plays.
    case playback
    /// The server pairs the client.
    case pairing
}

/// Reason why a client closes a connection.
public enum GoodbyeReason: String, CaseIterable, Sendable {
    /// The client uses another server.
    case anotherServer = "another_server"
    /// The client stops.
    case shutdown
    /// The client restarts.
    case restart
    /// The user ended the connection.
    case userRequest = "user_request"
    /// The server may not use the client.
    case unauthorized
    /// The client requires a pairing.
    case pairingRequired = "pairing_required"
    /// Another pairing is in progress.
    case concurrentAttempt = "concurrent_attempt"
    /// The pairing was removed.
    case unpaired
}
