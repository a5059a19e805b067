import JSON

extension Session {
    mutating func transmit(_ message: ClientMessage) throws(SessionFailure) {
        let text = message.json(configuration.dialect).bytes
        guard let link else {
            actions.append(.send(.text(text)))
            return
        }
        for part in try link.messages(for: [BinaryType.json] + text) { actions.append(.send(part)) }
    }

    /// Sends a last message if the protocol permits one, and closes the connection.
    mutating func end(_ message: ClientMessage, _ failure: SessionFailure? = nil) throws(SessionFailure) {
        // Before the end of the handshake, a client closes the connection without a message.
        if server != nil || link != nil {
            try stopSource()
            try transmit(message)
        }
        forgetSource()
        _ = endPairing()
        if let failure { throw failure }
        actions.append(.close(code: 1000))
        phase = .closed
        link = nil
    }
}
