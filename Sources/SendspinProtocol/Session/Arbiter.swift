/// Decides which of several connected servers a client serves.
///
/// If only one server is authenticated, its connection is kept, so that a machine without a key cannot lock out a paired
/// server with pairing attempts. Otherwise, new connections with activities are rejected during a pairing attempt. Otherwise, the connection of the higher rank is kept: playback ranks above pairing, and pairing
/// above no activity. A new connection of the same rank displaces the current one. If neither connection has
/// activities, the new one displaces the current one only if the new server played last.
public struct Arbiter: Sendable {
    /// A connection after its first activation.
    public struct Candidate: Equatable, Sendable {
        /// `server_id` of the server.
        public var serverID: String
        /// Activities of the last activation.
        public var activities: Set<Activity>
        /// Whether the server is paired, or its only activity is pairing and it has the pairing key.
        public var isAuthenticated = false
        /// Whether a pairing attempt is in progress.
        public var isPairingInProgress = false

        var rank: Int { activities.contains(.playback) ? 2 : activities.contains(.pairing) ? 1 : 0 }
    }

    /// Decision about a new connection.
    public enum Verdict: Equatable, Sendable {
        /// The new connection is admitted, and displaces the current one.
        case admit
        /// The new connection is rejected.
        case reject
    }

    /// Server that played last, which the owner stores persistently; nil if no server has played.
    public private(set) var lastPlaybackServer: String?

    /// Creates an arbiter with the stored `lastPlaybackServer`.
    public init(lastPlaybackServer: String?) { self.lastPlaybackServer = lastPlaybackServer }

    /// Judges `incoming`; `current` is nil if no other connection is admitted.
    public func judge(_ incoming: Candidate, against current: Candidate?) -> Verdict {
        guard let current else { return .admit }
        guard incoming.isAuthenticated == current.isAuthenticated else {
            return incoming.isAuthenticated ? .admit : .reject
        }
        if current.isPairingInProgress, incoming.rank > 0 { return .reject }
        guard incoming.rank == current.rank else { return incoming.rank > current.rank ? .admit : .reject }
        guard incoming.rank == 0 else { return .admit }
        let isPreferred = incoming.serverID == lastPlaybackServer && current.serverID != lastPlaybackServer
        return isPreferred ? .admit : .reject
    }

    /// Notes the activities of the admitted connection; returns whether `lastPlaybackServer` has changed.
    public mutating func note(_ admitted: Candidate) -> Bool {
        guard admitted.activities.contains(.playback), admitted.serverID != lastPlaybackServer else { return false }
        lastPlaybackServer = admitted.serverID
        return true
    }
}

/// Reason for the dismissal of a connection in favour of another one.
public enum Dismissal: Sendable {
    /// A new connection replaces the current one.
    case displaced
    /// The new connection is not admitted.
    case rejected
}
