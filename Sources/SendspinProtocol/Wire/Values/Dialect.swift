/// Version of the protocol on a connection.
public enum Dialect: Sendable {
    /// The current protocol: Noise transport messages, audio headers of 13 bytes.
    case encrypted
    /// The protocol of 2025: JSON text messages, audio headers of 9 bytes, no `server/activate`.
    case legacy
}
