import JSON

extension Session {
    /// Appends the action that sends a message.
    mutating func transmit(_ message: ClientMessage) throws(SessionFailure) {
        let text = message.json(configuration.dialect).bytes
        counters.messagesSent += 1
        guard let link else {
            actions.append(.send(.text(text)))
            return
        }
        for part in try link.messages(for: [BinaryType.json] + text) { actions.append(.send(part)) }
    }

    /// Sends a last message, where the protocol permits one, and closes the connection.
    mutating func end(_ message: ClientMessage, _ failure: SessionFailure? = nil) throws(SessionFailure) {
        // Before the handshake is complete, a client closes the connection without a message.
        if server != nil || link != nil { try transmit(message) }
        if let failure { throw failure }
        actions.append(.close(code: 1000))
        phase = .closed
        link = nil
    }
}
