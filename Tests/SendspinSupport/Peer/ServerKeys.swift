import SendspinSecurity

/// Keys of a fake server for its clients, by their `client_id`.
package struct ServerKeys: Sendable {
    /// Keys of paired clients.
    package var longTerm: [String: PreSharedKey] = [:]
    /// Pairing keys, from tokens that a person entered.
    package var pairing: [String: PreSharedKey] = [:]

    package init() {}

    /// Key for a client with its category on the wire.
    func key(for client: String) -> (key: PreSharedKey, category: String) {
        if let key = longTerm[client] { return (key, "lt") }
        if let key = pairing[client] { return (key, "pr") }
        return (.sentinel, "sn")
    }
}
