import Durations
import JSON

extension Session {
    mutating func takeText(_ text: [UInt8], at arrival: Duration) throws(SessionFailure) {
        guard let message = try parse(text) else {
            // A later version of the protocol may define the message, but the first messages have a fixed order.
            guard case .active = phase else { return try requireOrder("an unknown message") }
            return
        }
        switch (phase, message) {
        case (.awaitingHello, .hello(let hello)): try greet(hello, at: arrival)
        case (.awaitingActivation, .activation(let activation)): try activate(activation, at: arrival)
        case (.active, _): try takeActive(message, at: arrival)
        default: try requireOrder(message.type)
        }
    }

    /// Throws for a message out of order before the first activation, and ignores it after a new handshake.
    private mutating func requireOrder(_ type: String) throws(SessionFailure) {
        guard case .awaitingActivation(isFirst: false) = phase else {
            throw .violation("\(type) arrived instead of \(phase.description)")
        }
        ignore(type, "it arrived between a handshake and the activation")
    }

    private mutating func takeActive(_ message: ServerMessage, at arrival: Duration) throws(SessionFailure) {
        guard !isProvisional else { return ignore(message.type, "the connection is not admitted") }
        switch message {
        case .handshake(let data): try renewKeys(data, at: arrival)
        case .activation(let activation):
            guard configuration.dialect == .encrypted else { return }
            try activate(activation, at: arrival)
        case .time(let sent, let received, let transmitted):
            try takeTime(
                TimeExchange(sent: sent, received: received, transmitted: transmitted, arrived: arrival))
        case .state(let state): take(state, at: arrival)
        case .command(let command, let source):
            if let command { try obey(command, at: arrival) }
            if let source { try obey(source) }
        case .group(let update): merge(update)
        case .streamStart(let start): begin(start)
        case .streamClear(let scope):
            if scope.contains(.player), stream != nil { emit(.streamCleared) }
            if scope.contains(.visualizer) { visualizer.clear() }
        case .streamEnd(let scope): endStreams { scope.contains($0) }
        case .unpair: try unpair()
        case .pairingRound(let nonce): try beginRound(nonce)
        case .pairingShare(let share): try answer(share)
        case .pairingTag(let tag): try verify(tag)
        case .pairingDone: try finishPairing()
        case .pairingAbort(let reason):
            guard endPairing() != nil else { return }
            emit(.pairingAborted("the server ended it with \"\(reason)\""))
        case .initialization, .error, .hello: ignore(message.type, "the connection is already open")
        }
    }

    private mutating func greet(_ hello: ServerHello, at now: Duration) throws(SessionFailure) {
        switch (phase, configuration.dialect, hello.legacy) {
        case (.awaitingHello, .encrypted, _):
            guard let link else { return }
            noteUse()
            sourceTurn.codecs = hello.sourceCodecs
            if link.category != .longTerm { configuration.roles.removeAll { configuration.pairedRoles.contains($0) } }
            become(
                SessionServer(
                    id: link.serverID, name: hello.name, isEncrypted: true, keyCategory: link.category))
            phase = .awaitingActivation(isFirst: true)
            beginStep(at: now)
            try transmit(.hello(self.hello))
        case (.awaitingHello, .legacy, .some(let admission)):
            guard admission.version == 1 else {
                throw SessionFailure(
                    .refused, "The server speaks version \(admission.version) of the protocol, and this client only 1.")
            }
            become(SessionServer(id: admission.serverID, name: hello.name, isEncrypted: false, keyCategory: nil))
            try apply(admission.isForPlayback ? [.playback] : [], admission.roles, at: now)
        default: throw .violation("server/hello has no server_id")
        }
    }

    private mutating func become(_ server: SessionServer) {
        self.server = server
        emit(.connected(server))
    }

    var hello: ClientHello {
        let legacy = LegacyHello(
            clientID: configuration.legacyClientID, commands: player.commands.filter { $0 != .setOutputDelay },
            artwork: configuration.artwork)
        return ClientHello(
            name: configuration.name, device: configuration.device,
            roles: configuration.roles.filter {
                configuration.dialect == .encrypted || !Role.encryptedOnly.contains($0)
            },
            formats: configuration.formats, bufferCapacity: configuration.bufferCapacity,
            isUnpairedAccessEnabled: configuration.allowsUnpairedAccess, sensesLine: configuration.sensesLine,
            codeFormats: configuration.codeFormats,
            legacy: configuration.dialect == .legacy ? legacy : nil)
    }
}
