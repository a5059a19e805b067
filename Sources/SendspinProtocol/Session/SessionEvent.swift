import SendspinSecurity

/// An occurrence in a session that its owner handles.
public enum SessionEvent: Sendable {
    /// The server is known: the handshake and the exchange of names are complete.
    case connected(SessionServer)
    /// The server stated its purpose. On a server-initiated connection, the first of these requires `admit` or `dismiss`.
    case activated(Set<Activity>, roles: [Role])

    /// The relation of the clocks is more precise.
    case clock(ClockEstimate, isConverged: Bool)
    /// The server clock was set: times of the server that were received before do not relate to this estimate.
    case clockStepped(ClockEstimate)

    /// A stream of the player starts.
    case streamStarted(PlayerStream)
    /// The chunks that follow have another format; chunks before it still play.
    case streamChanged(PlayerStream)
    /// Audio arrived.
    case chunk(AudioChunk)
    /// Discard all chunks; the stream continues, for example at another position.
    case streamCleared
    /// Discard all chunks and stop.
    case streamEnded

    /// The server set the volume, in percent; the session has reported it.
    case volume(Int)
    /// The server mutes the player, or ends that.
    case muted(Bool)
    /// The server sets the delay of the device behind the player.
    case outputDelay(Duration)

    /// The group of the player, or its state, changed.
    case group(GroupUpdate)
    /// Description of the track, at the time at which it becomes valid; nil for none.
    case metadata(Metadata?)
    /// State of the group; nil if the role ended.
    case controller(ControllerState?)
    /// Image of a channel, at the time at which it becomes valid; empty for none.
    case artwork(channel: Int, image: [UInt8])

    /// The pairing is complete; the record must be stored, and replaces records of the same server.
    case paired(Credentials.Record)
    /// The pairing failed, as a clause; the connection remains.
    case pairingAborted(String)
    /// The server deleted the pairing; the record of this server must be deleted.
    case unpaired(serverID: String)
    /// A record was used; it is the last to be evicted.
    case recordUsed(serverID: String)
    /// The server referred to a key that this client does not have: it must be paired again.
    case credentialMissing

    /// A message was ignored, as a sentence. Only the first of each type of message is reported.
    case ignored(String)
    /// The session failed; `close` follows.
    case failed(SessionFailure)
}

/// The server of a session.
public struct SessionServer: Equatable, Sendable {
    /// `server_id`: the public key of the server, or any text of a legacy server.
    public var id: String
    /// Name of the server, which it chooses freely.
    public var name: String
    /// Whether the connection is encrypted; false only in the legacy dialect.
    public var isEncrypted: Bool
    /// Category of the key of the connection; nil without encryption.
    public var keyCategory: KeyCategory?

    /// A server of its parts.
    public init(id: String, name: String, isEncrypted: Bool, keyCategory: KeyCategory?) {
        self.id = id
        self.name = name
        self.isEncrypted = isEncrypted
        self.keyCategory = keyCategory
    }

    /// Whether a long-term key authenticates the server.
    public var isPaired: Bool { keyCategory == .longTerm }
}
