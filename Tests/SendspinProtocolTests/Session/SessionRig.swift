import Durations
import SendspinSecurity
import SendspinSupport
import SendspinProtocol

/// A session and a server in virtual time, which a network with a fixed delay connects.
///
/// `play` executes a script of words. `log` has the events of the session, and the messages that the client sent (`→`),
/// except time requests.
final class SessionRig {
    static let flac = AudioFormat(codec: .flac, channels: 2, sampleRate: 48000, bitDepth: 16)
    static let pcm = AudioFormat(codec: .pcm, channels: 2, sampleRate: 44100, bitDepth: 16)

    /// A FLAC header with `fLaC` and STREAMINFO as the last block.
    static let flacHeader = Array("fLaC".utf8) + [0x80, 0, 0, 34] + [UInt8](repeating: 7, count: 34)

    var session: Session
    var peer: ServerPeer
    let credentials: Credentials
    var now = Duration.seconds(100)
    var log: [String] = []
    var sent: [ClientMessage] = []
    var lastEvents: [SessionEvent] = []
    var closeCode: UInt16?
    var answersTime = true
    /// Server time minus local time.
    var offset = Duration.seconds(5000)
    let delay = Duration.microseconds(200)

    init(
        key: PreSharedKey? = nil, category: String = "sn", records: [PairingRecord] = [],
        identity: KeyPair = .generate(), pairingKey: PreSharedKey = .generate(), player: PlayerState = PlayerState(),
        clock: SessionClock? = nil, configure: (inout SessionConfiguration) -> Void = { _ in }
    ) {
        var configuration = SessionConfiguration(
            name: "Test", roles: Role.ofPlayers, formats: [Self.flac, Self.pcm], bufferCapacity: 2_000_000,
            artwork: [ArtworkChannel(source: .album, format: .jpeg, width: 100, height: 100)], legacyClientID: "test")
        configuration.visualizer = VisualizerRequest(kinds: VisualizerKind.allCases)
        configure(&configuration)
        peer = ServerPeer(
            identity: identity, dialect: configuration.dialect, key: key ?? .sentinel, category: category)
        var records = records
        if category == "lt", records.isEmpty {
            records = [PairingRecord(server: identity.publicKey, key: key ?? .sentinel)]
        }
        credentials = Credentials(
            identity: .generate(), pairingKey: category == "pr" ? key ?? pairingKey : pairingKey, records: records)
        session = Session(configuration, credentials, player, clock: clock)
    }
}

// MARK: - Network

extension SessionRig {
    func perform(_ actions: [SessionAction]) throws {
        for action in actions {
            switch action {
            case .send(let message): try deliver(message)
            case .close(let code):
                closeCode = code
                log.append("close(\(code))")
            case .event(let event): note(event)
            }
        }
    }

    private func deliver(_ message: SocketMessage) throws {
        let peerMessage: PeerMessage =
            switch message {
            case .text(let bytes): .text(bytes)
            case .binary(let bytes): .binary(bytes)
            }
        let (received, replies) = try peer.receive(peerMessage)
        if let received {
            sent.append(received)
            if case .time(let time) = received {
                if answersTime { try answer(time) }
            } else {
                log.append("→ \(Self.word(received))")
            }
        }
        try replies.forEach { try receive($0) }
    }

    private func answer(_ time: Duration) throws {
        now += delay
        let server = now + offset
        now += delay
        try send(.time(sent: time, received: server, transmitted: server))
    }

    func receive(_ message: PeerMessage) throws {
        switch message {
        case .text(let bytes): try perform(session.receive(.text(bytes), at: now))
        case .binary(let bytes): try perform(session.receive(.binary(bytes), at: now))
        }
    }

    /// Sends a message of the server.
    func send(_ message: ServerMessage) throws { try peer.messages(message).forEach { try receive($0) } }

    func send(text: String) throws { try peer.messages(text: Array(text.utf8)).forEach { try receive($0) } }

    func send(binary: [UInt8]) throws { try peer.messages(binary: binary).forEach { try receive($0) } }

    /// Advances to each deadline until `time` has passed.
    func run(for time: Duration) throws {
        let end = now + time
        while let deadline = session.deadline, deadline <= end, closeCode == nil {
            now = max(now, deadline)
            try perform(session.advance(to: now))
        }
        now = max(now, end)
    }
}

// MARK: - Log

extension SessionRig {
    private static func word(_ message: ClientMessage) -> String {
        switch message {
        case .state(let state): "state(\(state.isAvailable ? "available" : "unavailable"))"
        case .goodbye(let reason): "goodbye(\(reason.rawValue))"
        case .pairingStart(let index, _): "pair-init(\(index))"
        case .pairingAbort(let reason): "pair-abort(\(reason.rawValue))"
        case .command(let command): "command(\(command.name.rawValue))"
        default: message.type
        }
    }

    private func note(_ event: SessionEvent) {
        lastEvents.append(event)
        switch event {
        case .connected(let server): log.append("connected(\(server.keyCategory?.rawValue ?? "none"))")
        case .activated(let activities, let roles):
            let names = activities.map(\.rawValue).sorted().joined(separator: "+")
            log.append("activated(\(names.isEmpty ? "nothing" : names), \(roles.count) roles)")
        case .clock: break
        case .clockStepped: log.append("stepped")
        case .streamStarted(let stream): log.append("started(\(stream.format.codec.rawValue))")
        case .streamChanged(let stream): log.append("changed(\(stream.format.codec.rawValue))")
        case .chunk(let chunk): log.append("chunk(\(chunk.payload.count))")
        case .streamCleared: log.append("cleared")
        case .streamEnded: log.append("ended")
        case .volume(let volume): log.append("volume(\(volume))")
        case .muted(let isMuted): log.append("muted(\(isMuted))")
        case .outputDelay(let delay): log.append("delay(\(delay.inSeconds))")
        case .sourceStarted(let stream): log.append("capture(\(stream.format.codec.rawValue))")
        case .sourceEnded: log.append("capture ended")
        case .sourceRefused(let format): log.append("capture refused(\(format.codec.rawValue))")
        case .group(let group): log.append("group(\(group.playback?.rawValue ?? "-"), \(group.groupName ?? "-"))")
        case .metadata(let metadata): log.append("metadata(\(metadata?.title ?? "none"))")
        case .controller(let state): log.append("controller(\(state.map { "\($0.volume)" } ?? "none"))")
        case .artwork(let channel, let image): log.append("artwork(\(channel), \(image.count))")
        case .palette(let palette): log.append("palette(\(palette.map { "\($0.colours.count)" } ?? "none"))")
        case .visualizer(let frame): log.append("frame(\(frame.loudness.map { "\($0)" } ?? "-"))")
        case .pairingCode(let code, _): log.append("code(\(code.map { "\($0.format.rawValue)" } ?? "none"))")
        case .codeRound(let isVerified): log.append(isVerified ? "verified" : "round")
        case .paired: log.append("paired")
        case .pairingAborted: log.append("pairing aborted")
        case .unpaired: log.append("unpaired")
        case .recordUsed: log.append("record used")
        case .credentialMissing: log.append("credential missing")
        case .ignored(let text): log.append("ignored: \(text)")
        case .failed(let failure): log.append("failed(\(failure.kind))")
        }
    }

    /// Returns the log since the last call of this method.
    func takeLog() -> [String] {
        defer { log = [] }
        return log
    }

    var failure: SessionFailure? {
        for case .failed(let failure) in lastEvents { return failure }
        return nil
    }
}
