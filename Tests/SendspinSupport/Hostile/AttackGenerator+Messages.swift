@testable import SendspinProtocol

extension AttackGenerator {
    /// Fragments of the largest size, none of which is the last of its message.
    package static func endlessFragments(_ count: Int, type: UInt8 = 4) -> [Attack] {
        (0..<count).map { number in
            let header: [UInt8] = number == 0 ? [1, 2, type] : [1, 0]
            return .plaintext(header + [UInt8](repeating: 0, count: Fragments.plaintextLimit - header.count))
        }
    }

    /// A valid message of each type.
    static let messages: [ServerMessage] = [
        .initialization(serverID: "AAAA", version: 1), .error(reason: "malformed"),
        .handshake("AAAA"), .hello(ServerHello(name: "server", languages: ["en"])),
        .activation(ServerActivation(activities: [.playback], roles: ["player@v1"])),
        .time(sent: .seconds(1), received: .seconds(2), transmitted: .seconds(3)),
        .state(
            ServerState(
                metadata: Metadata(timestamp: .seconds(1), title: "title", artist: "artist", album: "album"),
                controller: ControllerState(commands: [.play, .pause], volume: 50, isMuted: false),
                palette: Palette(timestamp: .seconds(1), colours: [.primary: 0x10_20_30, .accent: 0xFF_FF_FF]))),
        .streamStart(StreamStart(hasVisualizer: true)),
        .command(nil, source: .start), .command(nil, source: .stop), .command(.volume(50)), .command(.mute(true)),
        .command(.outputDelay(.milliseconds(5))),
        .group(GroupUpdate(playback: .playing, groupID: "group", groupName: "Group")),
        .streamStart(StreamStart(serverTransmitted: .seconds(1), player: FakeStream.pcm().start)),
        .streamStart(StreamStart(serverTransmitted: .seconds(1), player: FakeStream.flac().start)),
        .streamClear(StreamScope(families: ["player"])), .streamEnd(StreamScope()), .unpair, .pairingDone,
        .pairingRound(nonce: String(repeating: "A", count: 43)), .pairingRound(nonce: nil),
        .pairingShare(String(repeating: "B", count: 42) + "A"), .pairingTag(String(repeating: "C", count: 85) + "A"),
        .activation(
            ServerActivation(
                activities: [.pairing], roles: [], pairingMethod: "dynamic_pairing_code", codeFormat: "digits")),
        .pairingAbort("user_cancelled"),
    ]
}
