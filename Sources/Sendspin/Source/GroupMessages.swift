import GStreamer
import SendspinProtocol

enum GroupMessages {
    /// Message `sendspin-group`: the group of the player, and whether it plays.
    static func group(_ group: GroupUpdate) -> Structure {
        var message = Structure("sendspin-group")
        message["playing"] = .bool(group.playback == .playing)
        message["id"] = group.groupID.map { .string(PeerText.make($0)) }
        message["name"] = group.groupName.map { .string($0) }
        return message
    }

    /// Message `sendspin-controller`: volume and modes of the group, and its accepted commands.
    static func controller(_ state: ControllerState) -> Structure {
        var message = Structure("sendspin-controller")
        message["commands"] = .list(state.commands.map(\.rawValue).sorted().map { .string($0) })
        message["volume"] = .uint(UInt32(clamping: state.volume))
        message["mute"] = .bool(state.isMuted)
        message["repeat"] = state.repeatMode.map { .string($0.rawValue) }
        message["shuffle"] = state.isShuffled.map { .bool($0) }
        message["seek-limit"] = state.seekLimit.map { .time($0) }
        return message
    }

    /// Message `sendspin-progress`: position and duration of the track at a server time; empty if there is no track.
    static func progress(_ metadata: Metadata?) -> Structure {
        var message = Structure("sendspin-progress")
        guard let metadata, let progress = metadata.progress else { return message }
        message["timestamp"] = .time(metadata.timestamp)
        message["position"] = .time(progress.position)
        message["duration"] = progress.duration.map { .time($0) }
        message["speed"] = .double(Double(progress.speed) / 1000)
        return message
    }
}

extension Structure.Value {
    /// A duration from the server, limited to 292 years so that it is not `GST_CLOCK_TIME_NONE`.
    static func time(_ time: Duration) -> Self { .duration(min(time, .nanoseconds(Int64.max))) }
}
