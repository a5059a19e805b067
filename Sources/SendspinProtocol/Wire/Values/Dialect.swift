/// Generation of the protocol on a connection.
public enum Dialect: Sendable {
    /// The current protocol: messages in Noise transport messages, audio headers of 13 bytes.
    case encrypted
    /// The protocol before encryption: JSON in text messages, audio headers of 9 bytes, no `server/activate`.
    case legacy
}
