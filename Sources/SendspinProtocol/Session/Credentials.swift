import SendspinSecurity

/// Keys that authenticate the client and the server.
public struct Credentials: Sendable {
    /// Persistent identity of the client.
    public var identity: KeyPair
    /// The client's pairing key; the user enters it in a server as a token.
    public var pairingKey: PreSharedKey
    /// All paired servers with their keys.
    public var records: [PairingRecord]

    /// Creates credentials.
    public init(identity: KeyPair, pairingKey: PreSharedKey, records: [PairingRecord] = []) {
        self.identity = identity
        self.pairingKey = pairingKey
        self.records = records
    }
}

/// Category of the key that protects a connection; the server proposes the key.
public enum KeyCategory: String, Sendable {
    /// The key of a pairing.
    case longTerm = "lt"
    /// The key of a pairing token or code.
    case pairing = "pr"
    /// The published key, which encrypts the connection but authenticates no server.
    case sentinel = "sn"
}
