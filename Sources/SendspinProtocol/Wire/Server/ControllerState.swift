import JSON

/// State of a group and its accepted commands.
public struct ControllerState: Equatable, Sendable {
    /// Commands that the group accepts now.
    public var commands: Set<ControllerCommandName>
    /// Volume of the group in percent.
    public var volume: Int
    /// Whether the group is muted.
    public var isMuted: Bool
    /// Repeat mode; nil from legacy servers.
    public var repeatMode: RepeatMode? = .off
    /// Whether the order is random; nil from legacy servers.
    public var isShuffled: Bool? = false
    /// Maximum position of a seek.
    public var seekLimit: Duration?
}

extension ControllerState {
    init(_ reader: FieldReader) throws(WireFault) {
        let names = try reader.strings("supported_commands")
        commands = Set(names.compactMap { ControllerCommandName(rawValue: $0) })
        volume = Int(try reader.integer("volume", in: 0...100))
        isMuted = try reader.bool("muted")
        repeatMode = try reader.knownChoice("repeat")
        isShuffled = try reader.optionalBool("shuffle")
        seekLimit = try reader.optionalMilliseconds("seek_max_ms", in: 0...(1 << 53))
    }
}
