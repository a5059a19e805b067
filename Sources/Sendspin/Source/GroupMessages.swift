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

    /// Message `sendspin-color`: colours as 0xRRGGBB from a running time on; none if the server knows none.
    static func color(_ palette: Palette?, at time: Duration?) -> Structure {
        var message = Structure("sendspin-color")
        message["running-time"] = time.map { .time($0) }
        for purpose in Palette.Purpose.allCases {
            let name = purpose.rawValue.split(separator: "_" as Character).joined(separator: "-")
            message[name] = palette?.colours[purpose].map { .uint($0) }
        }
        return message
    }

    /// Message `sendspin-visualizer`: data of the music at a running time, with levels from 0 (-60 dB) to 255 (0 dB).
    static func visualizer(_ frame: VisualizerFrame, at time: Duration) -> Structure {
        func level(_ level: UInt16) -> UInt8 { UInt8((UInt32(level) * 255 + 32_767) / 65_535) }

        var message = Structure("sendspin-visualizer")
        message["running-time"] = .time(time)
        message["loudness"] = frame.loudness.map { .uint(UInt32(level($0))) }
        message["downbeat"] = frame.isDownbeat.map { .bool($0) }
        message["frequency"] = frame.strongest.map { .uint(UInt32($0.frequency)) }
        message["frequency-level"] = frame.strongest.map { .uint(UInt32(level($0.level))) }
        message["spectrum"] = frame.spectrum.map { .bytes($0.map(level)) }
        message["peak"] = frame.peak.map { .uint(UInt32($0)) }
        return message
    }
}

extension Structure.Value {
    /// A duration from the server, limited to 292 years so that it is not `GST_CLOCK_TIME_NONE`.
    static func time(_ time: Duration) -> Self { .duration(min(time, .nanoseconds(Int64.max))) }
}
