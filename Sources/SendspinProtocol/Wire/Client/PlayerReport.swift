import JSON

/// State of the player in `client/state`.
public struct PlayerReport: Equatable, Sendable {
    /// Volume in percent; nil if the server cannot set it.
    public var volume: Int?
    /// Whether the output is muted; nil if the server cannot mute it.
    public var isMuted: Bool?
    /// Delay of the equipment behind the output, at most 5 s.
    public var outputDelay = Duration.zero
    /// Required time from the start of a stream to the timestamp of its first chunk.
    public var requiredLeadTime = Duration.zero
    /// Playing time that the server keeps in the player's buffer.
    public var minimumBuffer = Duration.zero
    /// Commands that the server may send.
    public var commands: [PlayerCommandName] = []
    /// Preferred format among the offered formats; nil if the order of the offered formats expresses the preference.
    public var format: AudioFormat?
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
