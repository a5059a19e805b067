import SendspinSecurity

/// Keys with which a session authenticates itself and the server.
public struct Credentials: Sendable {
    /// Long-term key shared with one server, the result of pairing.
    public struct Record: Equatable, Sendable {
        /// `server_id` of the server.
        public var serverID: String
        /// The long-term key.
        public var key: PreSharedKey

        /// A record of its parts.
        public init(serverID: String, key: PreSharedKey) {
            self.serverID = serverID
            self.key = key
        }
    }

    /// Persistent identity of the client.
    public var identity: KeyPair
    /// The client's own pairing key, which the user gives to a server as a token.
    public var pairingKey: PreSharedKey
    /// Keys of all paired servers.
    public var records: [Record]

    /// Credentials of its parts.
    public init(identity: KeyPair, pairingKey: PreSharedKey, records: [Record] = []) {
        self.identity = identity
        self.pairingKey = pairingKey
        self.records = records
    }
}

/// Category of the key that protects a connection; the server declares it.
public enum KeyCategory: String, Sendable {
    /// The key of a pairing.
    case longTerm = "lt"
    /// The key of a pairing token or code.
    case pairing = "pr"
    /// The published key: encrypted, but without authentication.
    case sentinel = "sn"
}
