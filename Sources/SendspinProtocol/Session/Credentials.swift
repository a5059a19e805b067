import SendspinSecurity

/// Keys that authenticate the client and the server.
public struct Credentials: Sendable {
    /// Long-term key that pairing with a server has created.
    public struct Record: Equatable, Sendable {
        /// `server_id` of the server.
        public var serverID: String
        /// The long-term key.
        public var key: PreSharedKey

        /// Creates a record.
        public init(serverID: String, key: PreSharedKey) {
            self.serverID = serverID
            self.key = key
        }
    }

    /// Persistent identity of the client.
    public var identity: KeyPair
    /// The client's pairing key; the user enters it in a server as a token.
    public var pairingKey: PreSharedKey
    /// Keys of all paired servers.
    public var records: [Record]

    /// Creates credentials.
    public init(identity: KeyPair, pairingKey: PreSharedKey, records: [Record] = []) {
        self.identity = identity
        self.pairingKey = pairingKey
        self.records = records
    }
}

/// Category of the key that protects a connection; declared by the server.
public enum KeyCategory: String, Sendable {
    /// The key of a pairing.
    case longTerm = "lt"
    /// The key of a pairing token or code.
    case pairing = "pr"
    /// The published key: encryption without authentication.
    case sentinel = "sn"
}
