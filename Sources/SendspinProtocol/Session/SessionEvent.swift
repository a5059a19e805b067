import SendspinSecurity

/// An event of a session for its owner.
public enum SessionEvent: Sendable {
    /// The server is identified, after the handshake and the exchange of names.
    case connected(SessionServer)
    /// The server has sent its activities; the first such event of a server-initiated connection requires `admit` or
    /// `dismiss`.
    case activated(Set<Activity>, roles: [Role])

    /// The clock estimate has changed without a step of the server clock.
    case clock(ClockEstimate, isConverged: Bool)
    /// The server clock was set; the estimate does not apply to earlier server times.
    case clockStepped(ClockEstimate)

    /// A stream of the player starts.
    case streamStarted(PlayerStream)
    /// The next chunks have another format; earlier chunks still play.
    case streamChanged(PlayerStream)
    /// Audio arrived.
    case chunk(AudioChunk)
    /// Discard all chunks; the stream continues, perhaps at another position.
    case streamCleared
    /// Discard all chunks, and stop.
    case streamEnded

    /// The server has set the volume in percent; the session has reported it.
    case volume(Int)
    /// The server has muted or unmuted the player.
    case muted(Bool)
    /// The server has set the delay of the equipment behind the player.
    case outputDelay(Duration)

    /// A stream of captured audio has started or has another format, as a start of the server permits.
    case sourceStarted(PlayerStream)
    /// The stream of captured audio has ended.
    case sourceEnded
    /// The server requested captured audio, but does not accept its codec.
    case sourceRefused(AudioFormat)

    /// The group of the player or its state has changed.
    case group(GroupUpdate)
    /// Description of the track, reported when it becomes valid; nil if there is no description.
    case metadata(Metadata?)
    /// State of the group; nil when the role ends.
    case controller(ControllerState?)
    /// Image of a channel, reported when it becomes valid; empty if there is no image.
    case artwork(channel: Int, image: [UInt8])
    /// Colours that suit the music, reported up to 200 ms before they are valid; nil when the role ends.
    case palette(Palette?)
    /// Data of the visualizer role, reported up to 200 ms before they are shown, in the order of their times.
    case visualizer(VisualizerFrame)

    /// The user must enter this code in the server `of`; nil when the last code of this server is no longer valid.
    case pairingCode(PairingCode?, of: SessionServer)
    /// A round with a code has begun, or the server has proved that it has the code; the owner counts the rounds since then
    /// of all connections, for `setUsedCodeRounds`.
    case codeRound(isVerified: Bool)
    /// The pairing is complete; the record replaces stored records of this server.
    case paired(PairingRecord)
    /// The pairing has failed, for the reason in this clause; the connection remains.
    case pairingAborted(String)
    /// The server has deleted the pairing; its stored record must be deleted.
    case unpaired(serverID: String)
    /// The pairing record of this server was used, so it must be evicted after all other records.
    case recordUsed(serverID: String)
    /// The client lacks the key of the server; client and server must be paired again.
    case credentialMissing

    /// A sentence that states why a message was ignored; reported once per message type.
    case ignored(String)
    /// The session has failed; `close` follows.
    case failed(SessionFailure)
}

/// The server of a session.
public struct SessionServer: Equatable, Sendable {
    /// `server_id`: the server's public key, or any text in the legacy dialect.
    public var id: String
    /// Name of the server, chosen by its user.
    public var name: String
    /// Whether the connection is encrypted; false only in the legacy dialect.
    public var isEncrypted: Bool
    /// Category of the key of the connection; nil without encryption.
    public var keyCategory: KeyCategory?

    /// Whether a long-term key authenticates the server.
    public var isPaired: Bool { keyCategory == .longTerm }
}
