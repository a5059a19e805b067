import GStreamer
import SendspinProtocol

/// Volume of the player; `sendspinsrc` pushes it downstream as an event.
struct PlayerVolume: Sendable, Equatable {
    private static let name = "sendspin-volume"

    var percent = 100
    var isMuted = false

    init() {}

    init(percent: Int, isMuted: Bool) {
        self.percent = percent
        self.isMuted = isMuted
    }

    /// Parses an event; nil for other events.
    init?(_ event: borrowing Event) {
        guard event.kind == .customDownstream, let structure = event.structure, structure.name == Self.name,
            case .uint(let percent)? = structure["volume"], case .bool(let isMuted)? = structure["mute"]
        else { return nil }
        self.init(percent: Int(percent), isMuted: isMuted)
    }

    func apply(to player: inout PlayerState) {
        player.volume = percent
        player.isMuted = isMuted
    }

    /// An event with the volume; it is not serialized, because the sink's ring buffer delays a new volume anyway.
    var event: Event? {
        .custom(
            Structure(Self.name, ["volume": .uint(UInt32(clamping: percent)), "mute": .bool(isMuted)]),
            isUpstream: false, isSerialized: false)
    }
}
