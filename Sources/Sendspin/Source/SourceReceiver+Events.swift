import Durations
import GStreamer
import SendspinProtocol
import SendspinSecurity
import Threads

// Event handlers of a session, on the thread of its connection.

extension SourceReceiver {
    func handle(_ event: SessionEvent, of connection: ServerConnection) {
        switch event {
        case .paired(let record):
            profile.keep(record)
            postPairing(record.server.id, isPaired: true)
        case .unpaired(let server):
            profile.removeRecord(of: server)
            postPairing(server, isPaired: false)
        case .recordUsed(let server): profile.markUsed(server)
        case .pairingAborted(let reason):
            warn(.resource(.notAuthorized, "The server could not be paired: \(reason)."))
        case .credentialMissing:
            warn(
                .resource(
                    .notAuthorized, "The server has a pairing that this player does not have. Pair them again."),
                isAdmitted: isCurrent(connection))
        case .ignored(let text): SendspinSource.log.info(host, "\(text)")
        case .failed: break
        default: handleEvent(of: connection) { handleCurrent(event, of: connection) }
        }
    }

    private func handleCurrent(_ event: SessionEvent, of connection: ServerConnection) {
        switch event {
        case .connected(let server): serverConnected(server, by: connection)
        case .activated(let activities, let roles):
            SendspinSource.log.debug(host, "activities: \(activities.map(\.rawValue))")
            if !roles.contains(.player), !activities.contains(.pairing) { warnOfMissingApproval() }
        case .clock(let estimate, _): follow(estimate, isStep: false)
        case .clockStepped(let estimate): follow(estimate, isStep: true)
        case .streamStarted(let stream), .streamChanged(let stream): streamStarted(stream)
        case .streamCleared: streamCleared()
        case .streamEnded: streamEnded()
        case .volume(let volume): command { $0.volume = volume }
        case .muted(let isMuted): command { $0.isMuted = isMuted }
        case .outputDelay(let delay): command { $0.outputDelay = delay }
        case .metadata(let metadata): report.announce { $0.describe(metadata) }
        case .artwork(_, let image): report.announce { $0.show(image) }
        case .group(let group): report.announce { $0.add(GroupMessages.group(group)) }
        case .controller(let controller): report.controllerChanged(controller)
        default: break
        }
    }

    private func serverConnected(_ server: SessionServer, by connection: ServerConnection) {
        var isOther = false
        guard ifCurrent(connection, { isOther = report.connected(server, by: ObjectIdentifier(connection)) }) else {
            return
        }
        if server.isEncrypted, let address = connection.address, let identity = PublicKey(id: server.id) {
            profile.met(identity, at: address, isChosen: settings.server != nil)
        }
        // The stream of the previous server does not continue.
        if isOther, report.queue.change({ $0.hasStream }) { streamEnded() }
        host.notify("connected")
        report.queue.change { $0.markDiscontinuity() }
        var message = Structure("sendspin-server")
        message["connected"] = .bool(true)
        message["id"] = .string(PeerText.make(server.id))
        message["name"] = .string(server.name)
        message["encrypted"] = .bool(server.isEncrypted)
        message["paired"] = .bool(server.isPaired)
        host.post(message)
    }

    private func postPairing(_ serverID: String, isPaired: Bool) {
        var message = Structure("sendspin-pairing")
        message["paired"] = .bool(isPaired)
        message["id"] = .string(serverID)
        message["name"] = report.serverName.map { .string($0) }
        host.post(message)
    }

    private func warnOfMissingApproval() {
        let remedy =
            profile.allowsUnpairedAccess || report.isPaired
            ? "Approve the player in the settings of the server, or pair it."
            : "This player plays from paired servers only: pair it, or set unpaired-access=always."
        warn(
            .resource(
                .notAuthorized, "The server \(report.serverName ?? "") does not let this player play. \(remedy)",
                debug: "The action signal get-pairing-token returns the token that the server asks for."))
    }

    /// Posts a message that the connection has ended.
    func serverLost(_ failure: SessionFailure?, of connection: ServerConnection) {
        handleEvent(of: nil) {
            guard report.disconnected(from: ObjectIdentifier(connection)) else { return }
            applyCommand(at: nil)
            report.announceRest()
            host.notify("connected")
            report.queue.change { $0.connectionLost() }
            var message = Structure("sendspin-server")
            message["connected"] = .bool(false)
            message["reason"] = .string(failure?.text ?? "")
            host.post(message)
        }
    }

    // MARK: Clock

    private func follow(_ estimate: ClockEstimate, isStep: Bool) {
        var isStep = report.takeIsNewServer() || isStep
        if let clock = report.clock { isStep = clock.follow(estimate, isStep: isStep) }
        report.queue.change { state in
            if isStep { state.clockStepped(to: estimate) } else { state.estimate = estimate }
        }
    }

    // MARK: Stream

    private func streamStarted(_ stream: PlayerStream) {
        // The session passes only offered formats, and FLAC only with its header.
        guard let caps = StreamFormatCaps.caps(of: stream) else { return }
        SendspinSource.log.info(host, "the stream is \(stream.format)")
        report.streamStarted(stream.format)
        let format = StreamFormat(format: stream.format, caps: caps)
        if report.queue.change({ $0.announce() }) { host.post(Structure(StreamMessages.start)) }
        report.queue.change { $0.formatChanged(format) }
    }

    /// Flushes downstream; the streaming thread continues with the next chunk.
    private func streamCleared() {
        report.count { $0.clears += 1 }
        let isActive = report.queue.change { state in
            state.clear()
            return state.isActive
        }
        if isActive { flush() }
    }

    private func streamEnded() {
        report.count { $0.ends += 1 }
        let isActive = report.queue.change { state in
            state.clear()
            return state.isActive
        }
        if isActive { flush() }
        // The stream ends after the flush, because the flush would discard an earlier EOS event.
        report.queue.change { $0.streamEnded() }
        host.post(Structure(StreamMessages.end))
    }

    /// Flushes downstream if the property `flush` is true.
    private func flush() { if settings.flushes { report.flush() } }

    // MARK: Player and group

    private func command(_ change: (inout PlayerState) -> Void) {
        profile.change(change)
        commanded()
    }

    /// Copies the player's state to the queue and the properties.
    func playerChanged() {
        let player = profile.player
        report.queue.change { $0.outputDelay = player.outputDelay }
        report.playerChanged(player)
    }
}
