import Durations
import JSON
@testable import SendspinProtocol

extension FakePeer {
    /// Roles that the server activates for a client.
    ///
    /// The source role requires a pairing or an approval, and encryption.
    func activeRoles(_ hello: ClientHello) -> [Role] {
        let mayCapture = report.keyCategory == "lt" || (settings.approvesSource && report.isEncrypted)
        return settings.roles.filter { hello.roles.contains($0) && ($0 != .source || mayCapture) }
    }

    /// Checks and stores `client/hello`.
    mutating func accept(_ hello: ClientHello) {
        report.hello = hello
        if hello.name.isEmpty { report.violate("client/hello has an empty name") }
        guard hello.roles.contains(.player) else { return }
        if !hello.formats.contains(where: { $0.codec != .opus }) {
            report.violate("client/hello offers neither FLAC nor PCM")
        }
        if Set(hello.formats).count < hello.formats.count { report.violate("client/hello repeats a format") }
        if hello.bufferCapacity <= 0 { report.violate("client/hello has no buffer_capacity") }
    }

    /// Checks fields of `client/hello` that the parsed message no longer contains.
    mutating func checkEncrypted(_ hello: ClientHello, _ value: JSONValue) {
        if hello.legacy != nil { report.violate("client/hello contains the client_id of the legacy dialect") }
        guard case .object(let object) = value, case .object(let payload)? = object["payload"] else { return }
        for role in Role.allCases where payload["\(role.rawValue)_support"] != nil && !hello.roles.contains(role) {
            report.violate("client/hello supports \(role.rawValue) without listing it")
        }
        for role in [Role.player, .visualizer, .source] where hello.roles.contains(role) {
            if payload["\(role.rawValue)_support"] == nil {
                report.violate("client/hello lacks \(role.rawValue)_support")
            }
        }
        if case .object(let methods)? = payload["supported_pair_methods"], methods.members.count > 2 {
            report.violate("client/hello offers more than one method with a code")
        }
    }

    /// Checks and stores `client/state`.
    mutating func accept(_ state: ClientState) {
        report.state = state
        stateDeadline = nil
        if !echoes.isEmpty { echoes.removeFirst() }
        acceptSource(state)
        if state.isAvailable, report.exchangesBeforeAvailable == nil {
            report.exchangesBeforeAvailable = report.exchangeCount
            if report.exchangeCount == 0, !settings.trustsKnownClocks {
                report.violate("the client is available before its clock is synchronized")
            }
        }
        if (state.player != nil) != roles.contains(.player) {
            report.violate("client/state must have a player exactly if the role is active")
        }
        if (state.visualizer != nil) != roles.contains(.visualizer) {
            report.violate("client/state must have a visualizer exactly if the role is active")
        }
        if state.artwork != nil, !roles.contains(.artwork) {
            report.violate("client/state has artwork without its role")
        }
        guard dialect == .encrypted, let player = state.player else { return }
        if (player.volume != nil) != player.commands.contains(.volume) {
            report.violate("client/state must have a volume exactly if the command volume is supported")
        }
        if (player.isMuted != nil) != player.commands.contains(.mute) {
            report.violate("client/state must have muted exactly if the command mute is supported")
        }
        if let format = player.format, report.hello?.formats.contains(where: { $0.matches(format) }) != true {
            report.violate("the preferred format \(format) was not offered")
        }
    }

    /// Sends an activation that was delayed until now.
    mutating func activate(_ activation: Activation, at now: Duration) {
        step = .active
        let isPairing = pairing.isWanted || report.keyCategory == "pr"
        pairing.isWanted = false
        let isFirst = !report.isActive
        roles = isPairing ? [] : Set(report.hello.map(activeRoles) ?? [])
        if !roles.contains(.source) { pendingStarts = 0 }
        let activities: Set<Activity> = isPairing ? [.pairing] : isFirst ? settings.firstActivities : []
        send(
            .activation(
                ServerActivation(
                    activities: activities, roles: Role.allCases.filter { roles.contains($0) }.map(\.rawValue),
                    pairingMethod: isPairing ? ServerActivation.pairingKeyMethod : nil)))
        if isPairing {
            pairing.activations += 1
            pairing.isOpen = true
        }
        report.isActive = true
        needsGreeting = !isPairing
        if isPairing { isArtworkStarted = false }
        release()
        report.isForPlayback = activities.contains(.playback)
        let needsState =
            (roles.contains(.player) && report.state?.player == nil)
            || (roles.contains(.visualizer) && report.state?.visualizer == nil)
            || (roles.contains(.source) && report.state?.source == nil)
        if needsState || (isFirst && !roles.isDisjoint(with: [.player, .source])) {
            stateDeadline = now + settings.stateTime
        }
    }

    /// Announces playback, only once for each connection.
    mutating func announcePlayback() {
        guard !report.isForPlayback else { return }
        report.isForPlayback = true
        if dialect == .encrypted { send(.activation(ServerActivation(activities: [.playback]))) }
    }

    /// Starts the artwork stream with the channels that the client requested, only once for each activation.
    mutating func startArtwork(at now: Duration) {
        guard !isArtworkStarted else { return }
        isArtworkStarted = true
        let channels = dialect == .legacy ? report.hello?.legacy?.artwork : report.state?.artwork
        send(.streamStart(StreamStart(serverTransmitted: now, artwork: channels ?? [])))
    }

    /// Sends a command for the player, which the client must confirm.
    mutating func send(_ command: PlayerCommand, at now: Duration) {
        send(.command(command))
        let isSupported =
            dialect == .legacy
            ? report.hello?.legacy?.commands.contains(command.name)
            : report.state?.player?.commands.contains(command.name)
        if isSupported == true { echoes.append(now + settings.echoTime) }
    }
}
