import JSON

/// State of the player in `client/state`.
public struct PlayerReport: Equatable, Sendable {
    /// Volume in percent; nil if the server cannot set it.
    public var volume: Int?
    /// Whether the output is muted; nil if the server cannot mute it.
    public var isMuted: Bool?
    /// Delay of the equipment behind the output, at most 5 s.
    public var outputDelay: Duration
    /// Required time from the start of a stream to the timestamp of its first chunk.
    public var requiredLeadTime: Duration
    /// Playing time that the server keeps in the player's buffer.
    public var minimumBuffer: Duration
    /// Commands that the server may send.
    public var commands: [PlayerCommandName]
    /// Preferred format, one of the offered formats; nil for their order.
    public var format: AudioFormat?

    /// Creates a report.
    public init(
        volume: Int? = nil, isMuted: Bool? = nil, outputDelay: Duration = .milliseconds(0),
        requiredLeadTime: Duration = .milliseconds(0), minimumBuffer: Duration = .milliseconds(0),
        commands: [PlayerCommandName] = [], format: AudioFormat? = nil
    ) {
        self.volume = volume
        self.isMuted = isMuted
        self.outputDelay = outputDelay
        self.requiredLeadTime = requiredLeadTime
        self.minimumBuffer = minimumBuffer
        self.commands = commands
        self.format = format
    }
}

extension PlayerReport {
    func json(_ dialect: Dialect) -> JSONObject {
        var object = JSONObject()
        object.add("volume", volume)
        object.add("muted", isMuted)
        guard dialect == .encrypted else { return object }
        object.add("output_delay_ms", milliseconds: outputDelay)
        object.add("required_lead_time_ms", milliseconds: requiredLeadTime)
        object.add("min_buffer_ms", milliseconds: minimumBuffer)
        object.add("supported_commands", commands.map(\.rawValue))
        object.add("format", format?.json)
        return object
    }
}
