/// Side of a connection; a client masks its frames.
public enum WebSocketRole: Sendable, Equatable {
    /// The side that requested the upgrade.
    case client
    /// The side that accepted it.
    case server
}
