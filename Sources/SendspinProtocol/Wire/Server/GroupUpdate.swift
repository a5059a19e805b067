import JSON

/// Payload of `group/update`; legacy servers omit unchanged fields.
public struct GroupUpdate: Equatable, Sendable {
    /// Playback state of the group; nil if it is unknown or unchanged.
    public var playback: PlaybackState?
    /// Identifier of the group.
    public var groupID: String?
    /// Name of the group.
    public var groupName: String?
}

/// Playback state of a group.
public enum PlaybackState: String, CaseIterable, Sendable {
    /// The group plays.
    case playing
    /// The group is paused; only from legacy servers.
    case paused
    /// The group does not play.
    case stopped
}

extension GroupUpdate {
    init(_ reader: FieldReader) throws(WireFault) {
        playback = try reader.knownChoice("playback_state")
        groupID = try reader.optionalString("group_id")
        groupName = try reader.optionalText("group_name")
    }
}
