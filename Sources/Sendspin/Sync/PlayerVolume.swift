import GStreamer
import SendspinProtocol

/// Volume of the player, which `sendspinsrc` sends downstream as an event.
struct PlayerVolume: Sendable, Equatable {
    private static let name = "sendspin-volume"

    /// Volume in percent.
    var percent = 100
    var isMuted = false

    init() {}

    init(percent: Int, isMuted: Bool) {
        self.percent = percent
        self.isMuted = isMuted
    }

    /// The volume in an event; nil for other events.
    init?(_ event: borrowing Event) {
        guard event.kind == .customDownstream, let structure = event.structure, structure.name == Self.name,
            case .uint(let percent)? = structure["volume"], case .bool(let isMuted)? = structure["mute"]
        else { return nil }
        self.init(percent: Int(percent), isMuted: isMuted)
    }

    /// Sets the volume of a player.
    func apply(to player: inout PlayerState) {
        player.volume = percent
        player.isMuted = isMuted
    }

    /// The event; it overtakes the data, which waits in the ring buffer of the sink anyway.
    var event: Event? {
        .custom(
            Structure(Self.name, ["volume": .uint(UInt32(clamping: percent)), "mute": .bool(isMuted)]),
            isUpstream: false, isSerialized: false)
    }
}
