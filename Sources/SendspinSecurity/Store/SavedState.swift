/// State of a player that survives a restart.
public struct SavedState: Equatable, Sendable {
    /// Maximum output delay of the protocol.
    static let maximumOutputDelay = Duration.seconds(5)
    static let maximumServerLength = 256

    /// The `server_id` of the server that played last; nil if no server has played.
    public var lastPlaybackServer: String?
    /// Delay of the equipment behind the output, 0 to 5 s in whole milliseconds.
    public var outputDelay = Duration.zero
    /// Volume in percent; nil if it was never set.
    public var volume: Int?
    /// Whether the player is muted.
    public var isMuted = false
}
