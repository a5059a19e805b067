import Durations

/// State of the client that the session reports to the server.
public struct PlayerState: Equatable, Sendable {
    /// Whether the client takes part in playback; false while something else uses its output.
    public var isAvailable: Bool
    /// Volume in percent.
    public var volume: Int
    /// Whether the output is muted, independent of the volume.
    public var isMuted: Bool
    /// Delay of the equipment behind the output, 0 to 5 s.
    public var outputDelay: Duration
    /// Required time from the start of a stream to the timestamp of its first chunk.
    public var requiredLeadTime: Duration
    /// Playing time that the server keeps in the player's buffer.
    public var minimumBuffer: Duration
    /// Commands that the server may send.
    public var commands: [PlayerCommandName]
    /// Preferred format among the offered formats; nil if the order of the offered formats expresses the preference.
    public var preferredFormat: AudioFormat?

    /// Creates a state.
    public init(
        isAvailable: Bool = true, volume: Int = 100, isMuted: Bool = false, outputDelay: Duration = .zero,
        requiredLeadTime: Duration = .zero, minimumBuffer: Duration = .zero,
        commands: [PlayerCommandName] = PlayerCommandName.allCases, preferredFormat: AudioFormat? = nil
    ) {
        self.isAvailable = isAvailable
        self.volume = volume
        self.isMuted = isMuted
        self.outputDelay = outputDelay
        self.requiredLeadTime = requiredLeadTime
        self.minimumBuffer = minimumBuffer
        self.commands = commands
        self.preferredFormat = preferredFormat
    }

    /// The object for `client/state`: values are clamped to the ranges of the protocol, and a preferred format that is
    /// not in `formats` is omitted.
    func report(offering formats: [AudioFormat]) -> PlayerReport {
        PlayerReport(
            volume: commands.contains(.volume) ? max(0, min(volume, 100)) : nil,
            isMuted: commands.contains(.mute) ? isMuted : nil,
            outputDelay: max(.zero, min(outputDelay, .seconds(5))), requiredLeadTime: max(.zero, requiredLeadTime),
            minimumBuffer: max(.zero, minimumBuffer), commands: commands,
            format: preferredFormat.flatMap { formats.contains($0) ? $0 : nil })
    }
}
