import Durations

extension Session {
    /// Decides when `client/state` is sent: after each change, but not before the clock has converged.
    ///
    /// Servers require a state, so a player whose clock does not converge in time reports that it is unavailable. The
    /// availability is one of all roles, and an unavailable client does not play, so an input that pauses does not change
    /// that of a player.
    struct StateReporter: Sendable {
        private var sent: ClientState?
        /// Time at which a state must be sent; nil if no state is due.
        private(set) var deadline: Duration?
        /// Whether the clock has ever converged; afterwards, a step of the clock does not make the player unavailable.
        private var hasConverged = false

        /// Whether the last state that was sent is available.
        var isAvailable: Bool { sent?.isAvailable ?? false }

        /// Requires that the complete state is sent, at the latest at `time`.
        mutating func require(by time: Duration) {
            sent = nil
            deadline = time
        }

        mutating func advance(
            to now: Duration, player: PlayerState, source: CaptureState, roles: Set<Role>,
            configuration: SessionConfiguration, isConverged: Bool
        ) -> ClientState? {
            hasConverged = hasConverged || isConverged
            guard !roles.isEmpty else {
                deadline = nil
                return nil
            }
            let isReady = hasConverged || roles.isDisjoint(with: [.player, .source])
            let isOverdue = deadline.map { now >= $0 } ?? false
            guard isReady || isOverdue || sent != nil else { return nil }
            let hasUse = roles.contains(.player) || !roles.contains(.source) || source.isAvailable
            let state = ClientState(
                isAvailable: player.isAvailable && isReady && hasUse,
                player: roles.contains(.player) ? player.report(offering: configuration.formats) : nil,
                artwork: roles.contains(.artwork) ? Array(configuration.artwork.prefix(4)) : nil,
                visualizer: roles.contains(.visualizer) ? configuration.visualizer : nil,
                source: roles.contains(.source)
                    ? SourceReport(signal: configuration.sensesLine ? source.signal : nil) : nil)
            guard state != sent else { return nil }
            sent = state
            deadline = nil
            return state
        }
    }
}
