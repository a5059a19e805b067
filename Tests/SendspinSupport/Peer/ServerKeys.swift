import SendspinNoise

/// Keys of a fake server for its clients, by their `client_id`.
public struct ServerKeys: Sendable {
    /// Keys of paired clients.
    public var longTerm: [String: PreSharedKey] = [:]
    /// Pairing keys, from tokens that a person entered.
    public var pairing: [String: PreSharedKey] = [:]

    public init() {}

    /// Key for a client with its category on the wire.
    func key(for client: String) -> (key: PreSharedKey, category: String) {
        if let key = longTerm[client] { return (key, "lt") }
        if let key = pairing[client] { return (key, "pr") }
        return (.sentinel, "sn")
    }
}
