import JSON

/// A command for the group, in `client/command`.
public enum ControllerCommand: Equatable, Sendable {
    /// Commands without a value.
    case play, pause, stop, next, previous
    /// Volume of the group in percent.
    case volume(Int)
    /// Mutes or unmutes the group.
    case mute(Bool)
    /// Sets the repeat mode.
    case repeating(RepeatMode)
    /// Enables or disables random order.
    case shuffle(Bool)
    /// Moves the client to the next group.
    case switchGroup
    /// Seeks to a position, at least 0, of the track.
    case seek(Duration)
    /// Seeks by a signed offset from the current position.
    case seekRelative(Duration)

    /// Name of the command in the server's list.
    public var name: ControllerCommandName {
        switch self {
        case .play: .play
        case .pause: .pause
        case .stop: .stop
        case .next: .next
        case .previous: .previous
        case .volume: .volume
        case .mute: .mute
        case .repeating(.off): .repeatOff
        case .repeating(.one): .repeatOne
        case .repeating(.all): .repeatAll
        case .shuffle(let isOn): isOn ? .shuffle : .unshuffle
        case .switchGroup: .switchGroup
        case .seek: .seek
        case .seekRelative: .seekRelative
        }
    }
}

/// Name of a command for the group.
public enum ControllerCommandName: String, CaseIterable, Sendable {
    /// Commands with the same names as in `ControllerCommand`.
    case play, pause, stop, next, previous, volume, mute
    /// Repeats nothing.
    case repeatOff = "repeat_off"
    /// Repeats the track.
    case repeatOne = "repeat_one"
    /// Repeats the list.
    case repeatAll = "repeat_all"
    /// Enables or disables random order.
    case shuffle, unshuffle
    /// Moves the player to another group.
    case switchGroup = "switch"
    /// Seeks to a position.
    case seek
    /// Seeks by an offset.
    case seekRelative = "seek_relative"
}

/// Repeat mode of the group.
public enum RepeatMode: String, CaseIterable, Sendable {
    /// Repeats nothing, the track, or the list.
    case off, one, all
}

extension ControllerCommand {
    var json: JSONObject {
        var object = JSONObject()
        object.add("command", name.rawValue)
        switch self {
        case .volume(let percent): object.add("volume", max(0, min(percent, 100)))
        case .mute(let isMuted): object.add("mute", isMuted)
        case .seek(let position): object.add("position_ms", milliseconds: position < .zero ? .zero : position)
        case .seekRelative(let offset): object.add("offset_ms", milliseconds: offset)
        default: break
        }
        return object
    }
}
