/// A server with which this player is paired.
public struct PairingRecord: Equatable, Sendable {
    /// Identity of the server.
    public var server: PublicKey
    /// Long-term key shared with the server.
    public var key: PreSharedKey
    /// Name of the server, for people.
    public var name: String

    /// A record of its parts.
    public init(server: PublicKey, key: PreSharedKey, name: String = "") {
        self.server = server
        self.key = key
        self.name = name
    }
}
