import SendspinSecurity

/// Keys of a fake server for its clients, by the `client_id` of the client.
package struct ServerKeys: Sendable {
    /// Keys of paired clients.
    package var longTerm: [String: PreSharedKey] = [:]
    /// Pairing keys from tokens, which in reality a person enters.
    package var pairing: [String: PreSharedKey] = [:]

    package init() {}

    /// Key for a client, with the category of the key as in messages.
    func key(for client: String) -> (key: PreSharedKey, category: String) {
        if let key = longTerm[client] { return (key, "lt") }
        if let key = pairing[client] { return (key, "pr") }
        return (.sentinel, "sn")
    }
}
