import Durations

/// Decides when `client/state` is sent: when it changes, and not before the clock has converged.
///
/// A player whose clock does not converge in time reports that it is unavailable, because servers require a state.
struct StateReporter: Sendable {
    private var sent: ClientState?
    /// Time at which a state is sent in any case; nil if one was sent.
    private(set) var deadline: Duration?
    /// Whether the clock has converged once; a step of the clock afterwards does not make a player unavailable.
    private var hasConverged = false

    /// Requires the complete state, at the latest at `time`.
    mutating func require(by time: Duration) {
        sent = nil
        deadline = time
    }

    /// Returns the state if it must be sent at `now`.
    mutating func advance(
        to now: Duration, player: PlayerState, roles: Set<Role>, configuration: SessionConfiguration, isConverged: Bool
    ) -> ClientState? {
        hasConverged = hasConverged || isConverged
        guard !roles.isEmpty else {
            deadline = nil
            return nil
        }
        let isReady = hasConverged || !roles.contains(.player)
        let isOverdue = deadline.map { now >= $0 } ?? false
        guard isReady || isOverdue || sent != nil else { return nil }
        let state = ClientState(
            isAvailable: player.isAvailable && isReady,
            player: roles.contains(.player) ? player.report(offering: configuration.formats) : nil,
            artwork: roles.contains(.artwork) ? Array(configuration.artwork.prefix(4)) : nil)
        guard state != sent else { return nil }
        sent = state
        deadline = nil
        return state
    }
}
