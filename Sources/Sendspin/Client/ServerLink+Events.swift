import GStreamer
import SendspinProtocol
import SendspinSecurity

// Event handlers of a session, on the thread of its connection.

extension ServerLink {
    func handle(_ event: SessionEvent, of connection: ServerConnection) {
        switch event {
        case .paired(let record):
            core.profile.keep(record)
            postPairing(record.server.id, isPaired: true)
        case .unpaired(let server):
            core.profile.removeRecord(of: server)
            postPairing(server, isPaired: false)
        case .recordUsed(let server): core.profile.markUsed(server)
        case .pairingAborted(let reason):
            warn(.resource(.notAuthorized, "The server could not be paired: \(reason)."))
        case .pairingCode(let code, let server):
            var message = Structure("sendspin-pairing-code")
            message["id"] = .string(PeerText.make(server.id))
            message["name"] = .string(server.name)
            message["code"] = code.map { .string($0.text) }
            message["format"] = code.map { .string($0.format == .digits ? "digits" : "qr-code") }
            core.host.post(message)
        case .codeRound(let isVerified): core.countCodeRound(isVerified: isVerified)
        case .credentialMissing:
            warn(
                .resource(
                    .notAuthorized, "The server has a pairing that this player does not have. Pair them again."),
                isAdmitted: isCurrent(connection))
        case .ignored(let text): core.log.info(core.host, "\(text)")
        case .failed: break
        case .connected(let server):
            handleEvent(of: connection) { serverConnected(server, by: connection) }
        default: handleEvent(of: connection) { handleCurrent(event, of: connection) }
        }
    }

    private func serverConnected(_ server: SessionServer, by connection: ServerConnection) {
        var change: ServerChange?
        guard ifCurrent(connection, { change = core.report.connected(server, by: ObjectIdentifier(connection)) }),
            let change
        else { return }
        // A source has no part in the identity of a player, with which the server has met the player.
        if connection.guest !== self, server.isEncrypted, let address = connection.address,
            let identity = PublicKey(id: server.id)
        {
            core.profile.met(identity, at: address, isChosen: core.address != nil)
        }
        serverConnected(change)
        core.host.notify("connected")
        var message = Structure("sendspin-server")
        message["connected"] = .bool(true)
        message["id"] = .string(PeerText.make(server.id))
        message["name"] = .string(server.name)
        message["encrypted"] = .bool(server.isEncrypted)
        message["paired"] = .bool(server.isPaired)
        core.host.post(message)
    }

    private func postPairing(_ serverID: String, isPaired: Bool) {
        var message = Structure("sendspin-pairing")
        message["paired"] = .bool(isPaired)
        message["id"] = .string(serverID)
        message["name"] = core.report.serverName.map { .string($0) }
        core.host.post(message)
    }

    /// Posts messages that the connection has ended.
    func serverLost(_ failure: SessionFailure?, of connection: ServerConnection) {
        postLoss(failure, of: connection)
        if let guest = connection.guest { guest.onNetworkThread { guest.postLoss(failure, of: connection) } }
    }

    /// Posts that a connection has ended, if it is the noted one; nil is the noted one.
    func postLoss(_ failure: SessionFailure?, of connection: ServerConnection?) {
        handleEvent(of: nil) {
            guard core.report.disconnected(from: connection.map { ObjectIdentifier($0) }) else { return }
            connectionEnded()
            core.host.notify("connected")
            var message = Structure("sendspin-server")
            message["connected"] = .bool(false)
            message["reason"] = .string(failure?.text ?? "")
            core.host.post(message)
        }
    }
}
