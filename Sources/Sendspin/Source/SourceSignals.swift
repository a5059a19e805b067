import GStreamer
import SendspinProtocol

enum SourceSignals {
    static let all: [Signal] =
        [
            command("play", .play), command("pause", .pause), command("stop", .stop), command("next", .next),
            command("previous", .previous),
            command("seek", .uint64) {
                if case .uint64(let position) = $0 { .seek(.nanoseconds(position)) } else { nil }
            },
            command("set-group-volume", .uint) {
                if case .uint(let percent) = $0 { .volume(Int(min(percent, 100))) } else { nil }
            },
            command("set-group-mute", .bool) { if case .bool(let isMuted) = $0 { .mute(isMuted) } else { nil } },
            command("set-repeat", .string) {
                if case .string(let name) = $0 { RepeatMode(rawValue: name).map { .repeating($0) } } else { nil }
            },
            command("set-shuffle", .bool) { if case .bool(let isShuffled) = $0 { .shuffle(isShuffled) } else { nil } },
            setPlayerVolume,
        ] + PairingSignals.all(of: SendspinSource.self)

    static let setPlayerVolume = Signal.action("set-player-volume", arguments: [.uint, .bool]) {
        (source: SendspinSource, values) in
        guard case .uint(let percent) = values[0], case .bool(let isMuted) = values[1] else { return nil }
        source.report.setVolume(PlayerVolume(percent: Int(min(percent, 100)), isMuted: isMuted))
        return nil
    }

    // MARK: Commands for the group: each returns whether the server offers the command.

    private static func command(_ name: String, _ command: ControllerCommand) -> Signal {
        Signal.action(name, returns: .bool) { (source: SendspinSource, _) in .bool(source.report.control(command)) }
    }

    /// Creates a signal for a command with a value; the signal returns false if the value is not valid.
    private static func command(
        _ name: String, _ kind: Structure.Kind, _ make: @escaping @Sendable (Structure.Value) -> ControllerCommand?
    ) -> Signal {
        Signal.action(name, arguments: [kind], returns: .bool) { (source: SendspinSource, values) in
            .bool(make(values[0]).map { source.report.control($0) } ?? false)
        }
    }
}
