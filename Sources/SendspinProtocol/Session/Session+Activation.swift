import Durations
import SendspinSecurity

extension Session {
    /// Handles `server/activate`.
    mutating func activate(_ activation: ServerActivation, at now: Duration) throws(SessionFailure) {
        guard let link else { return }
        let rules = ActivationRules(
            category: link.category, allowsUnpairedAccess: configuration.allowsUnpairedAccess,
            codeFormats: configuration.codeFormats)
        // Each activation ends the previous pairing attempt.
        _ = endPairing()
        switch rules.judge(activation, current: roleNames) {
        case .refused(let reason): try refuse(reason)
        case .admitted(let names):
            try apply(activation.activities, names, at: now)
            guard activation.activities.contains(.pairing) else { return }
            pairing.activated()
            pairingMethod = rules.pairingMethod(activation)
            if !isProvisional { try startPairing(at: now) }
        }
    }

    private mutating func refuse(_ reason: GoodbyeReason) throws(SessionFailure) {
        let failure =
            reason == .pairingRequired
            ? SessionFailure(.pairingRequired, configuration.adviceToPair)
            : SessionFailure(
                .unauthorized, "The server requested activities that its key does not permit. Pair it again.")
        try end(.goodbye(reason), failure)
    }

    mutating func apply(_ activities: Set<Activity>, _ names: [String], at now: Duration) throws(SessionFailure) {
        var active = Set(names.compactMap { Role(rawValue: $0) }).intersection(configuration.roles)
        if link == nil { active.subtract(Role.encryptedOnly) }
        // A new handshake may have replaced the key of a pairing.
        if link?.category != .longTerm { active.subtract(configuration.pairedRoles) }
        let removed = roles.subtracting(active)
        let added = active.subtracting(roles)
        let hadRole = !roles.isEmpty
        discard(removed)
        roleNames = names
        roles = active
        self.activities = activities
        let isRenewed = !phase.isActive
        phase = .active
        if removed.contains(.source) { sourceTurn.isRequested = false }
        if removed.contains(.source) || source.stream == nil { try stopSource() }
        // With `endsWithoutRole`, a server without a role must use a secret key to keep the connection.
        if !configuration.endsWithoutRole || !active.isEmpty || link?.category != .sentinel {
            stepDeadline = nil
            provisionalDeadline = nil
        }
        emit(.activated(activities, roles: Role.allCases.filter { active.contains($0) }))
        if !hadRole, !active.isEmpty, let group { emit(.group(group)) }
        // A new role or a new handshake requires the complete state.
        if isRenewed || !added.isEmpty { reporter.require(by: now + configuration.limits.stateTimeout) }
        if !isProvisional { try beginActivities(at: now) }
    }

    /// Starts the activities of an admitted connection.
    mutating func beginActivities(at now: Duration) throws(SessionFailure) {
        // The clock of a server without a role is not estimated.
        if clock == nil, !roles.isEmpty, let server {
            if let remembered = rememberedClock, remembered.serverID == server.id {
                clock = remembered
                clock?.clock.reconnected(at: now)
            } else {
                clock = SessionClock(serverID: server.id, clock: ServerClock(now: now))
            }
            rememberedClock = nil
        }
        if activities.contains(.pairing), pairing.index > 0, !pairing.isInProgress, pairingMethod != nil {
            try startPairing(at: now)
        }
        try settleSource()
        try report(at: now)
    }

    /// Ends streams and discards the state of removed roles.
    private mutating func discard(_ removed: Set<Role>) {
        endStreams { removed.contains($0) }
        if removed.contains(.metadata), metadata.clear() { emit(.metadata(nil)) }
        if removed.contains(.controller), controller != nil {
            controller = nil
            emit(.controller(nil))
        }
        if removed.contains(.color), palette.clear() { emit(.palette(nil)) }
    }
}

extension SessionConfiguration {
    /// The remedy for a server that must be paired; a source, which may be a microphone, is not opened to all servers.
    fileprivate var adviceToPair: String {
        roles.contains(.player)
            ? "The server must be paired with this player before it can play: enter the token of get-pairing-token in "
                + "the server. Or set unpaired-access=always."
            : "The server must be paired with this source before it can receive audio: enter the token of "
                + "get-pairing-token in the server. Or set uri, without listen-address and unpaired-access=never."
    }
}

/// Decides whether the key of a connection permits an activation.
///
/// A long-term key permits playback. Other keys permit pairing, and playback only with unpaired access.
private struct ActivationRules {
    enum Verdict: Equatable {
        case admitted(roles: [String])
        case refused(GoodbyeReason)
    }

    let category: KeyCategory
    let allowsUnpairedAccess: Bool
    let codeFormats: [PairingCode.Format]

    /// Judges `activation`; `current` contains the roles of the previous activation.
    func judge(_ activation: ServerActivation, current: [String]) -> Verdict {
        guard activation.unknownActivities.isEmpty else { return .refused(.unauthorized) }
        let canPlay = permits(activation.activities.union([.playback]), unpaired: allowsUnpairedAccess)
        let roles = activation.roles ?? (canPlay ? current : [])
        if isAdmissible(activation.activities, roles, unpaired: allowsUnpairedAccess) { return .admitted(roles: roles) }
        let wouldHelp =
            !allowsUnpairedAccess && category != .longTerm
            && isAdmissible(activation.activities, roles, unpaired: true)
            && (!activation.activities.contains(.pairing) || pairingMethod(activation) != .refused)
        return .refused(wouldHelp ? .pairingRequired : .unauthorized)
    }

    /// How the server pairs: with the pairing key of this client, or without a key but with a code.
    func pairingMethod(_ activation: ServerActivation) -> PairingMethod {
        switch (category, activation.pairingMethod) {
        case (.pairing, ServerActivation.pairingKeyMethod): return .key
        case (.sentinel, ServerActivation.codeMethod):
            let format = codeFormats.first { $0.rawValue == activation.codeFormat }
            return format.map { .code($0) } ?? .refused
        default: return .refused
        }
    }

    /// Whether the key permits `activities` and, if there are roles, also playback.
    private func isAdmissible(_ activities: Set<Activity>, _ roles: [String], unpaired: Bool) -> Bool {
        permits(activities, unpaired: unpaired)
            && (roles.isEmpty || permits(activities.union([.playback]), unpaired: unpaired))
    }

    private func permits(_ activities: Set<Activity>, unpaired: Bool) -> Bool {
        switch category {
        case .longTerm: activities.isSubset(of: [.playback])
        case .pairing, .sentinel: activities.isSubset(of: unpaired ? [.playback, .pairing] : [.pairing])
        }
    }
}
