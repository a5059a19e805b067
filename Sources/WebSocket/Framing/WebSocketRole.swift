/// Side of a connection; a client masks its frames.
public enum WebSocketRole: Sendable, Equatable {
    /// The side that requests the upgrade.
    case client
    /// The side that accepts the upgrade.
    case server
}
