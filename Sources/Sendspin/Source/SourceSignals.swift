import GStreamer
import SendspinProtocol

enum SourceSignals {
    static let all = [
        command("play", .play), command("pause", .pause), command("stop", .stop), command("next", .next),
        command("previous", .previous), seek, setVolume, setMute, setRepeat, setShuffle, setPlayerVolume, pairingToken,
        listPairings, removePairing, acceptServer,
    ]

    static let setPlayerVolume = Signal.action("set-player-volume", arguments: [.uint, .bool]) {
        (source: SendspinSource, values) in
        guard case .uint(let percent) = values[0], case .bool(let isMuted) = values[1] else { return nil }
        source.report.setVolume(PlayerVolume(percent: Int(min(percent, 100)), isMuted: isMuted))
        return nil
    }

    /// Returns the secret text that pairs a server with this player.
    private static let pairingToken = Signal.action("get-pairing-token", returns: .string) {
        (source: SendspinSource, _) in .string(source.report.receiver?.profile.pairingToken ?? "")
    }

    /// Returns the names of the paired servers by their identity, the most recently used first.
    private static let listPairings = Signal.action("list-pairings", returns: .structure) {
        (source: SendspinSource, _) in
        var list = Structure("sendspin-pairings")
        for record in source.report.receiver?.profile.pairings ?? [] {
            // The file may be older than the length limit of names.
            list[record.server.id] = .string(PeerText.make(record.name))
        }
        return .structure(list)
    }

    private static let removePairing = Signal.action("remove-pairing", arguments: [.string], returns: .bool) {
        (source: SendspinSource, values) in
        guard case .string(let id) = values[0] else { return .bool(false) }
        return .bool(source.report.receiver?.removePairing(id) ?? false)
    }

    private static let acceptServer = Signal.action("accept-server", arguments: [.string], returns: .bool) {
        (source: SendspinSource, values) in
        guard case .string(let id) = values[0] else { return .bool(false) }
        return .bool(source.report.receiver?.acceptServer(id) ?? false)
    }

    // MARK: Commands for the group: each returns whether the server offers the command.

    private static func command(_ name: String, _ command: ControllerCommand) -> Signal {
        Signal.action(name, returns: .bool) { (source: SendspinSource, _) in .bool(source.report.control(command)) }
    }

    private static let seek = Signal.action("seek", arguments: [.uint64], returns: .bool) {
        (source: SendspinSource, values) in
        guard case .uint64(let position) = values[0] else { return .bool(false) }
        return .bool(source.report.control(.seek(.nanoseconds(position))))
    }

    private static let setVolume = Signal.action("set-group-volume", arguments: [.uint], returns: .bool) {
        (source: SendspinSource, values) in
        guard case .uint(let percent) = values[0] else { return .bool(false) }
        return .bool(source.report.control(.volume(Int(min(percent, 100)))))
    }

    private static let setMute = Signal.action("set-group-mute", arguments: [.bool], returns: .bool) {
        (source: SendspinSource, values) in
        guard case .bool(let isMuted) = values[0] else { return .bool(false) }
        return .bool(source.report.control(.mute(isMuted)))
    }

    private static let setRepeat = Signal.action("set-repeat", arguments: [.string], returns: .bool) {
        (source: SendspinSource, values) in
        guard case .string(let name) = values[0], let mode = RepeatMode(rawValue: name) else { return .bool(false) }
        return .bool(source.report.control(.repeating(mode)))
    }

    private static let setShuffle = Signal.action("set-shuffle", arguments: [.bool], returns: .bool) {
        (source: SendspinSource, values) in
        guard case .bool(let isShuffled) = values[0] else { return .bool(false) }
        return .bool(source.report.control(.shuffle(isShuffled)))
    }
}
