import Durations
import JSON
import SendspinSecurity

extension Session {
    mutating func open(at now: Duration) throws(SessionFailure) {
        guard case .idle = phase else { return }
        // Such a connection excludes other connections, so all its steps share the time of one step.
        if isProvisional || configuration.endsWithoutRole {
            provisionalDeadline = now + configuration.limits.stepTimeout
        }
        beginStep(at: now)
        guard configuration.dialect == .encrypted else {
            phase = .awaitingHello
            try transmit(.hello(hello))
            return
        }
        let message = ClientMessage.initialization(
            clientID: credentials.identity.publicKey.id, suite: configuration.suite.name)
        let text = message.json().bytes
        actions.append(.send(.text(text)))
        phase = .awaitingIdentity(sent: text)
    }

    mutating func takeHandshake(_ text: [UInt8], at now: Duration) throws(SessionFailure) {
        let message = try parse(text)
        switch (phase, message) {
        case (.awaitingIdentity(let sent), .initialization(let serverID, let version)):
            guard version == 1 else {
                throw SessionFailure(
                    .refused, "The server speaks version \(version) of the protocol, and this client only 1.")
            }
            guard let key = PublicKey(id: serverID) else {
                throw .violation("the server_id is no public key")
            }
            // Both messages are part of the handshake, byte for byte.
            phase = .awaitingHandshake(prologue: sent + text, server: key)
        case (.awaitingIdentity, .error(let reason)):
            throw SessionFailure(
                .refused, "The server refused the client with the reason \"\(reason)\". Update the older one.")
        case (.awaitingHandshake(let prologue, let key), .handshake(let data)):
            try answer(data, prologue: prologue, server: key, isFirst: true)
            phase = .awaitingHello
        default: throw .violation("\(message?.type ?? "an unknown message") arrived instead of \(phase.description)")
        }
        beginStep(at: now)
    }

    /// Sets the deadline of the server's next message.
    mutating func beginStep(at now: Duration) {
        let end = now + configuration.limits.stepTimeout
        stepDeadline = provisionalDeadline.map { min($0, end) } ?? end
    }

    /// Answers the first message of a handshake, and switches to the new keys.
    private mutating func answer(
        _ data: String, prologue: [UInt8], server key: PublicKey, isFirst: Bool
    ) throws(SessionFailure) {
        guard let first = URLSafeBase64.decode(data, atMost: 4096) else {
            throw .violation("a handshake message is not base64url")
        }
        var responder = HandshakeResponder(
            suite: configuration.suite, prologue: prologue, own: credentials.identity, peer: key)
        let payload = try checked { () throws(NoiseFault) in try responder.readFirst(first) }
        let (psk, category) = try select(try reference(payload), serverID: key.id, mayFallBack: isFirst)
        let (second, transport) = try checked { () throws(NoiseFault) in
            try responder.writeSecond(Array("{}".utf8), key: psk)
        }
        // On an open connection, the answer to a handshake is encrypted with the old keys.
        try transmit(.handshake(URLSafeBase64.encode(second)))
        if link == nil {
            link = EncryptedLink(
                transport, category, serverID: key.id, messageSize: configuration.limits.joinedSize)
        } else {
            link?.replace(transport, category)
        }
        _ = endPairing()
        pairing = PairingAttempt()
    }

    /// Reports the use of a pairing record.
    ///
    /// Call this method after a message that only the owner of the key can send; a handshake message may be a replay.
    mutating func noteUse() {
        if let link, link.category == .longTerm { emit(.recordUsed(serverID: link.serverID)) }
    }

    private func checked<Value>(_ step: () throws(NoiseFault) -> Value) throws(SessionFailure) -> Value {
        do throws(NoiseFault) {
            return try step()
        } catch {
            throw SessionFailure(.authentication, "The handshake with the server failed: \(error).")
        }
    }

    private func reference(_ payload: [UInt8]) throws(SessionFailure) -> KeyReference {
        do {
            return try KeyReference(
                parsing: try JSONValue(parsing: payload, limits: JSONLimits(byteCount: 4096, depth: 4)))
        } catch let fault as WireFault where fault == .missing(field: "psk_category") {
            throw SessionFailure(
                .refused,
                "The server encrypts as aiosendspin 7 to 9 does (its key has no \"psk_category\"), and this client as "
                    + "aiosendspin 10. Update the server.")
        } catch {
            throw .violation("the payload of the handshake is malformed: \(PeerText.make("\(error)"))")
        }
    }

    /// Selects the key that the server proposes.
    ///
    /// If the client lacks the key in the first handshake, it uses the published key, so that it can be paired again.
    private mutating func select(
        _ reference: KeyReference, serverID: String, mayFallBack: Bool
    ) throws(SessionFailure) -> (PreSharedKey, KeyCategory) {
        switch KeyCategory(rawValue: reference.category) {
        case .longTerm:
            if let record = credentials.records.first(where: { $0.key.id == reference.keyID }) {
                guard record.server.id == serverID else {
                    throw SessionFailure(.authentication, "The server uses the key of another server.")
                }
                return (record.key, .longTerm)
            }
        case .pairing:
            if reference.keyID == credentials.pairingKey.id { return (credentials.pairingKey, .pairing) }
        case .sentinel:
            if reference.keyID == PreSharedKey.sentinel.id {
                try requireExpected(serverID)
                return (.sentinel, .sentinel)
            }
        case nil: throw .violation("the category of the key is unknown")
        }
        guard mayFallBack else {
            throw SessionFailure(.authentication, "The server uses a key that is not stored here. Pair it again.")
        }
        try requireExpected(serverID)
        emit(.credentialMissing)
        return (.sentinel, .sentinel)
    }

    /// Refuses an unexpected server; the published key does not authenticate a server, so its identity must match.
    private func requireExpected(_ serverID: String) throws(SessionFailure) {
        guard let expected = configuration.expectedServerID, expected != serverID else { return }
        let cause =
            expected.isEmpty
            ? "that of the server that was met at this address cannot be read. Restore its file. If the server is yours, "
            : "the server that was met at this address has \(expected). It was replaced, or another machine answers in "
                + "its place. If it was replaced, "
        throw SessionFailure(
            .otherIdentity,
            "The server has the identity \(serverID), and \(cause)pair it, emit the action signal accept-server with this "
                + "identity, or set unpaired-access=always.")
    }

    /// Handles the first message of a handshake on an open connection.
    mutating func renewKeys(_ data: String, at now: Duration) throws(SessionFailure) {
        guard let link, let server, let key = PublicKey(id: server.id) else {
            throw .violation("a handshake arrived on a connection without encryption")
        }
        try answer(data, prologue: link.transport.handshakeHash, server: key, isFirst: false)
        self.server?.keyCategory = self.link?.category
        noteUse()
        counters.rehandshakes += 1
        phase = .awaitingActivation(isFirst: false)
        beginStep(at: now)
    }
}

/// Payload of the first handshake message: the key that the server proposes.
private struct KeyReference {
    /// Identifier of the key.
    let keyID: String
    /// Category of the key: `lt`, `pr` or `sn`.
    let category: String

    init(parsing value: JSONValue) throws(WireFault) {
        let reader = try FieldReader(value)
        keyID = try reader.string("psk_id")
        category = try reader.string("psk_category")
    }
}
