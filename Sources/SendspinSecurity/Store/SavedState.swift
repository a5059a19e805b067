/// State of a player that survives a restart.
public struct SavedState: Equatable, Sendable {
    /// Greatest output delay of the protocol.
    static let maximumOutputDelay = Duration.seconds(5)
    /// Greatest number of bytes of `lastPlaybackServer`.
    static let maximumServerLength = 256

    /// The `server_id` of the server that played last; nil if none has.
    public var lastPlaybackServer: String?
    /// Delay behind the output of the player, 0 to `maximumOutputDelay`, in whole milliseconds.
    public var outputDelay: Duration
    /// Volume, 0 to 100; nil if it has never been set.
    public var volume: Int?
    /// Whether the player is muted.
    public var isMuted: Bool

    /// A state of its parts.
    public init(
        lastPlaybackServer: String? = nil, outputDelay: Duration = .zero, volume: Int? = nil, isMuted: Bool = false
    ) {
        self.lastPlaybackServer = lastPlaybackServer
        self.outputDelay = outputDelay
        self.volume = volume
        self.isMuted = isMuted
    }
}
