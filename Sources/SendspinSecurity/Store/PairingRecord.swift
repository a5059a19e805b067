/// A server with which this player is paired.
public struct PairingRecord: Equatable, Sendable {
    /// Identity of the server.
    public var server: PublicKey
    /// Long-term key shared with the server.
    public var key: PreSharedKey
    /// Name of the server for display.
    public var name: String

    /// Creates a record.
    public init(server: PublicKey, key: PreSharedKey, name: String = "") {
        self.server = server
        self.key = key
        self.name = name
    }
}
