/// Decides which server a client serves if several connect to it.
///
/// A server that is authenticated displaces one that is not, and is never displaced by it. Otherwise playback ranks
/// above pairing, and pairing above no activity. A connection of the same rank replaces the current one; without
/// activities only the server that played last does.
public struct Arbiter: Sendable {
    /// A connection after its first activation.
    public struct Candidate: Equatable, Sendable {
        /// `server_id` of the server.
        public var serverID: String
        /// Activities of the last activation.
        public var activities: Set<Activity>
        /// Whether a pairing authenticates the server, or the token while it pairs.
        ///
        /// Playback with the token is that of a server that is not paired.
        public var isAuthenticated: Bool
        /// Whether a pairing attempt is in progress, which no other connection interrupts.
        public var isPairingInProgress: Bool

        /// A candidate of its parts.
        public init(
            serverID: String, activities: Set<Activity>, isAuthenticated: Bool = false,
            isPairingInProgress: Bool = false
        ) {
            self.serverID = serverID
            self.activities = activities
            self.isAuthenticated = isAuthenticated
            self.isPairingInProgress = isPairingInProgress
        }

        var rank: Int { activities.contains(.playback) ? 2 : activities.contains(.pairing) ? 1 : 0 }
    }

    /// Decision about a new connection.
    public enum Verdict: Equatable, Sendable {
        /// The new connection is admitted, and a current one dismissed as displaced.
        case admit
        /// The new connection is dismissed as rejected.
        case reject
    }

    /// Server that played last; nil if none has.
    ///
    /// It must persist.
    public private(set) var lastPlaybackServer: String?

    /// An arbiter without connections.
    public init(lastPlaybackServer: String?) { self.lastPlaybackServer = lastPlaybackServer }

    /// Decides about `incoming`; `current` is nil if no other connection is open.
    public func judge(_ incoming: Candidate, against current: Candidate?) -> Verdict {
        guard let current else { return .admit }
        if current.isPairingInProgress, incoming.rank > 0 { return .reject }
        guard incoming.isAuthenticated == current.isAuthenticated else {
            return incoming.isAuthenticated ? .admit : .reject
        }
        guard incoming.rank == current.rank else { return incoming.rank > current.rank ? .admit : .reject }
        guard incoming.rank == 0 else { return .admit }
        let isPreferred = incoming.serverID == lastPlaybackServer && current.serverID != lastPlaybackServer
        return isPreferred ? .admit : .reject
    }

    /// Notes the activities of the admitted connection; returns whether `lastPlaybackServer` changed and must be stored.
    public mutating func note(_ admitted: Candidate) -> Bool {
        guard admitted.activities.contains(.playback), admitted.serverID != lastPlaybackServer else { return false }
        lastPlaybackServer = admitted.serverID
        return true
    }
}

/// Way in which a connection loses against another one.
public enum Dismissal: Sendable {
    /// The current connection, replaced by a new one.
    case displaced
    /// A new connection that is not admitted.
    case rejected
}
