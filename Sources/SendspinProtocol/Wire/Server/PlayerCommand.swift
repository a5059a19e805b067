import JSON

/// A command for the player, in `server/command`.
public enum PlayerCommand: Equatable, Sendable {
    /// Volume in percent.
    case volume(Int)
    /// Mutes or unmutes the player.
    case mute(Bool)
    /// Delay of the equipment behind the output, 0 to 5 s.
    case outputDelay(Duration)

    /// Name of the command in the client's list.
    public var name: PlayerCommandName {
        switch self {
        case .volume: .volume
        case .mute: .mute
        case .outputDelay: .setOutputDelay
        }
    }
}

/// Name of a command for the player.
public enum PlayerCommandName: String, CaseIterable, Sendable {
    /// `volume`.
    case volume
    /// `mute`.
    case mute
    /// `set_output_delay`.
    case setOutputDelay = "set_output_delay"
}

extension PlayerCommand {
    /// Parses a command; nil if the command is unknown.
    init?(_ reader: FieldReader) throws(WireFault) {
        switch PlayerCommandName(rawValue: try reader.string("command")) {
        case .volume: self = .volume(Int(try reader.integer("volume", in: 0...100)))
        case .mute: self = .mute(try reader.bool("mute"))
        case .setOutputDelay:
            let milliseconds = try reader.integer("output_delay_ms", in: .min ... .max)
            self = .outputDelay(.milliseconds(max(0, min(milliseconds, 5000))))
        case nil: return nil
        }
    }
}
