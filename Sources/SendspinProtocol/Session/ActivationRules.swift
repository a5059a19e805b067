/// Decides whether the key of a connection permits what the server requests.
///
/// A long-term key permits playback. Any other key permits pairing, and playback only if unpaired access is enabled.
struct ActivationRules {
    enum Verdict: Equatable {
        /// The activation is in force with these roles.
        case admitted(roles: [String])
        case refused(GoodbyeReason)
    }

    let category: KeyCategory
    let allowsUnpairedAccess: Bool

    /// `current` are the roles before the activation.
    func judge(_ activation: ServerActivation, current: [String]) -> Verdict {
        guard activation.unknownActivities.isEmpty else { return .refused(.unauthorized) }
        let canPlay = permits(activation.activities.union([.playback]), unpaired: allowsUnpairedAccess)
        let roles = activation.roles ?? (canPlay ? current : [])
        if isAdmissible(activation.activities, roles, unpaired: allowsUnpairedAccess) { return .admitted(roles: roles) }
        let wouldHelp =
            !allowsUnpairedAccess && category != .longTerm
            && isAdmissible(activation.activities, roles, unpaired: true)
            && (!activation.activities.contains(.pairing) || acceptsPairing(activation))
        return .refused(wouldHelp ? .pairingRequired : .unauthorized)
    }

    /// Whether the pairing method is one of this client, with its pairing key.
    func acceptsPairing(_ activation: ServerActivation) -> Bool {
        category == .pairing && activation.pairingMethod == ServerActivation.pairingKeyMethod
    }

    /// Active roles require a connection that may play.
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
