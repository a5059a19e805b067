@testable import SendspinProtocol

/// One message of each kind, and variants with optional fields.
enum Samples {
    static let flac = AudioFormat(codec: .flac, channels: 2, sampleRate: 48000, bitDepth: 16)
    static let opus = AudioFormat(codec: .opus, channels: 2, sampleRate: 48000, bitDepth: 16)
    static let channel = ArtworkChannel(source: .album, format: .jpeg, width: 500, height: 400)
    static let header = Array("fLaC".utf8) + [UInt8](repeating: 7, count: 38)
    static let metadata: Metadata = {
        var metadata = Metadata(timestamp: .microseconds(5), title: "T\"1", artist: "Ä", album: "")
        metadata.albumArtist = "B"
        metadata.artworkURL = "http://x"
        metadata.year = 1999
        metadata.track = 3
        metadata.progress = TrackProgress(position: .milliseconds(1500), duration: nil, speed: 0)
        return metadata
    }()

    static let commands: [ControllerCommand] = [
        .play, .pause, .stop, .next, .previous, .volume(0), .volume(100), .mute(true), .repeating(.off),
        .repeating(.one),
        .repeating(.all), .shuffle(true), .shuffle(false), .switchGroup, .seek(.milliseconds(0)), .seek(.seconds(99)),
        .seekRelative(.milliseconds(-1500)),
    ]

    static let client: [ClientMessage] =
        [
            .initialization(clientID: String(repeating: "A", count: 43)), .handshake("abc_-"),
            .hello(
                ClientHello(
                    name: "Küche", device: DeviceInformation(productName: "P", manufacturer: "M", softwareVersion: "1"),
                    roles: Role.allCases, formats: [flac, opus], bufferCapacity: 2_000_000,
                    isUnpairedAccessEnabled: true, sensesLine: true, codeFormats: [.digits, .qrCode])),
            .hello(ClientHello(name: "", roles: [.metadata], formats: [], bufferCapacity: 0)), .time(.microseconds(1)),
            .state(ClientState(isAvailable: false)),
            .state(
                ClientState(
                    isAvailable: true,
                    player: PlayerReport(
                        volume: 30, isMuted: false, outputDelay: .milliseconds(5000),
                        requiredLeadTime: .milliseconds(700), minimumBuffer: .milliseconds(80),
                        commands: PlayerCommandName.allCases, format: flac), artwork: [channel, .off])),
            .state(ClientState(isAvailable: true, visualizer: VisualizerRequest(kinds: [.beat], rate: 60))),
            .state(
                ClientState(
                    isAvailable: true,
                    visualizer: VisualizerRequest(kinds: VisualizerKind.allCases, rate: 20, bandCount: 32))),
            .state(ClientState(isAvailable: true, source: SourceReport())),
            .state(ClientState(isAvailable: true, source: SourceReport(signal: .absent))),
            .sourceStart(PlayerStream(format: flac, codecHeader: header)), .sourceStart(PlayerStream(format: opus)),
            .sourceEnd, .leave, .pairingStart(index: 1), .pairingStart(index: 2, commitment: "c"),
            .pairingKey("secret"),
            .pairingKey("secret", isWrapped: true), .pairingPending(index: 3, reason: "R"), .pairingShare("s"),
            .pairingRetry,
            .pairingTag("t", wrappedNonce: "n"),
        ] + commands.map { .command($0) } + GoodbyeReason.allCases.map { .goodbye($0) }
        + PairingAbortReason.allCases.map { .pairingAbort($0) }

    static let legacyClient: [ClientMessage] = [
        .hello(
            ClientHello(
                name: "N", roles: [.player, .artwork], formats: [flac], bufferCapacity: 10,
                legacy: LegacyHello(clientID: "id", commands: [.volume, .mute], artwork: [channel]))),
        .state(ClientState(isAvailable: true, player: PlayerReport(volume: 1, isMuted: true))),
        .state(ClientState(isAvailable: false)),
    ]

    static let server: [ServerMessage] = [
        .initialization(serverID: "S"), .error(reason: "malformed"), .handshake("x"),
        .hello(ServerHello(name: "Server", languages: ["de", "en"])),
        .hello(ServerHello(name: "Server", sourceCodecs: [.pcm, .flac, .opus])),
        .hello(
            ServerHello(name: "S", legacy: LegacyAdmission(serverID: "s", roles: ["player@v1"], isForPlayback: true))),
        .activation(ServerActivation(activities: [], roles: ["player@v1", "x@v9"])),
        .activation(ServerActivation(activities: [.playback], unknownActivities: ["dance"])),
        .activation(ServerActivation(activities: [.pairing], roles: [], pairingMethod: "pairing_psk")),
        .activation(
            ServerActivation(
                activities: [.pairing], roles: [], pairingMethod: "dynamic_pairing_code", codeFormat: "digits")),
        .pairingRound(nonce: "n"), .pairingRound(nonce: nil), .pairingShare("s"), .pairingTag("t"),
        .time(sent: .microseconds(1), received: .microseconds(-2), transmitted: .microseconds(Int64.max)),
        .state(ServerState()), .state(ServerState(metadata: metadata)),
        .state(ServerState(metadata: Metadata(timestamp: .microseconds(0)))),
        .state(ServerState(palette: Palette(timestamp: .microseconds(-1)))),
        .state(
            ServerState(
                palette: Palette(
                    timestamp: .microseconds(7),
                    colours: Dictionary(
                        uniqueKeysWithValues: zip(Palette.Purpose.allCases, [0, 1, 256, 65536, 0xFFFFFF, 5])))
            )),
        .state(
            ServerState(
                controller: ControllerState(
                    commands: Set(ControllerCommandName.allCases), volume: 7, isMuted: true, repeatMode: .all,
                    isShuffled: true, seekLimit: .seconds(200)))),
        .command(nil), .command(nil, source: .start), .command(.volume(100)), .command(.mute(true)),
        .command(.outputDelay(.milliseconds(250))),
        .group(GroupUpdate(playback: .playing, groupID: "g", groupName: "G")),
        .group(GroupUpdate(playback: nil, groupID: nil, groupName: nil)),
        .streamStart(
            StreamStart(
                serverTransmitted: .microseconds(9), player: PlayerStream(format: flac, codecHeader: header),
                artwork: [channel])),
        .streamStart(StreamStart(player: PlayerStream(format: opus))), .streamStart(StreamStart(hasVisualizer: true)),
        .streamClear(StreamScope(families: ["player"], serverTransmitted: .microseconds(3))), .streamEnd(StreamScope()),
        .unpair, .pairingDone, .pairingAbort("user_cancelled"),
    ]
}
