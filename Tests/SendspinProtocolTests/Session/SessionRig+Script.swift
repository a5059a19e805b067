import Durations
import SendspinSecurity
@testable import SendspinProtocol
import SendspinSupport

/// Executes the words of scripts.
extension SessionRig {
    static let allRoles = Role.ofPlayers.map(\.rawValue)

    /// Executes a script, whose words are messages of the server or calls of the owner, separated by spaces.
    @discardableResult func play(_ script: String) throws -> [String] {
        for word in script.split(whereSeparator: \.isWhitespace) {
            let parts = word.split(separator: ":", maxSplits: 1).map(String.init)
            try step(parts[0], parts.count > 1 ? parts[1] : "")
        }
        return log
    }

    private func step(_ word: String, _ argument: String) throws {
        switch word {
        case "connect": try perform(session.start(at: now))
        case "hello": try send(.hello(ServerHello(name: "Server")))
        case "activate": try send(.activation(activation(argument)))
        case "open": try play("connect hello activate:all")
        case "playing": try play("open sync activate:playback start")
        case "sync": try run(for: .seconds(3))
        case "wait": try run(for: .seconds(Int(argument) ?? 0))
        case "start", "chunk", "clear", "end", "image", "light", "frame": try stepOfStream(word, argument)
        case "rekey":
            try peer.renewKeys().forEach { try receive($0) }
        case "capture":
            // Audio of a codec is captured; without an argument, none.
            let stream = argument.isEmpty ? nil : Self.captured(argument)
            try perform(session.update(CaptureState(stream: stream), at: now))
        case "signal":
            let state = CaptureState(stream: session.source.stream, signal: SignalState(rawValue: argument))
            try perform(session.update(state, at: now))
        case "request": try send(.command(nil, source: .start))
        case "release": try send(.command(nil, source: .stop))
        case "pair-done": try send(.pairingDone)
        case "pair-abort": try send(.pairingAbort("user_cancelled"))
        case "unpair": try send(.unpair)
        case "volume": try send(.command(.volume(Int(argument) ?? 0)))
        case "mute": try send(.command(.mute(true)))
        case "delay": try send(.command(.outputDelay(.milliseconds(Int(argument) ?? 0))))
        case "group": try send(.group(GroupUpdate(playback: .playing, groupID: "g", groupName: argument)))
        case "metadata":
            // The argument is the title and, after a plus sign, the number of seconds from now.
            let parts = argument.split(separator: "+").map(String.init)
            let time = now + offset + .seconds(parts.count > 1 ? Int(parts[1]) ?? 0 : -1)
            try send(.state(ServerState(metadata: Metadata(timestamp: time, title: parts[0]))))
        case "palette":
            // The argument is the number of seconds from now.
            let time = now + offset + .seconds(Int(argument) ?? 0)
            try send(.state(ServerState(palette: Palette(timestamp: time, colours: [.primary: 0xFF_80_00]))))
        case "controller":
            let state = ControllerState(commands: [.play, .pause, .volume], volume: Int(argument) ?? 0, isMuted: false)
            try send(.state(ServerState(controller: state)))
        case "text": try send(text: argument)
        case "bytes": try send(binary: argument.split(separator: ",").compactMap { UInt8($0) })
        case "lost": try perform(session.connectionLost())
        case "close": try perform(session.close(GoodbyeReason(rawValue: argument) ?? .shutdown))
        case "admit": try perform(session.admit(at: now))
        case "displace": try perform(session.dismiss(.displaced))
        case "reject": try perform(session.dismiss(.rejected))
        case "leave": try perform(session.leaveGroup())
        default: fatalError("unknown word \(word)")
        }
    }

    static func captured(_ codec: String) -> PlayerStream {
        switch codec {
        case "flac": PlayerStream(format: flac, codecHeader: flacHeader)
        case "opus": PlayerStream(format: AudioFormat(codec: .opus, channels: 2, sampleRate: 48000, bitDepth: 16))
        default: PlayerStream(format: pcm)
        }
    }

    private func stepOfStream(_ word: String, _ argument: String) throws {
        switch word {
        case "start":
            let format = argument == "pcm" ? Self.pcm : Self.flac
            let header = format.codec == .flac ? Self.flacHeader : nil
            try send(.streamStart(StreamStart(player: PlayerStream(format: format, codecHeader: header))))
        case "chunk":
            let payload = [UInt8](repeating: 1, count: Int(argument) ?? 100)
            let chunk = AudioChunk(timestamp: now + offset, sendAhead: nil, payload: payload[...])
            try send(binary: chunk.bytes(peer.dialect))
        case "clear": try send(.streamClear(StreamScope()))
        case "light": try send(.streamStart(StreamStart(hasVisualizer: true)))
        case "frame":
            // The argument is the number of milliseconds from now, which is also the loudness.
            let (time, loudness) = (now + offset + .milliseconds(Int(argument) ?? 0), UInt16(argument) ?? 0)
            for message in VisualizerFrame(timestamp: time, loudness: loudness).messages { try send(binary: message) }
        case "image":
            // The argument is the size of an image, of which an announcement and the parts are sent.
            let size = Int(argument) ?? 10
            let time = now + offset
            try send(binary: ArtworkMessage.announcement(channel: 0, timestamp: time, size: size).bytes)
            var rest = [UInt8](repeating: 3, count: size)[...]
            while !rest.isEmpty {
                try send(binary: ArtworkMessage.part(channel: 0, data: rest.prefix(60_000)).bytes)
                rest = rest.dropFirst(60_000)
            }
        default: try send(.streamEnd(StreamScope(families: argument.isEmpty ? nil : [argument])))
        }
    }

    private func activation(_ argument: String) -> ServerActivation {
        switch argument {
        case "all": ServerActivation(activities: [], roles: Self.allRoles)
        case "player": ServerActivation(activities: [], roles: ["player@v1"])
        case "source": ServerActivation(activities: [], roles: ["source@v1"])
        case "room": ServerActivation(activities: [], roles: ["player@v1", "source@v1"])
        case "lights": ServerActivation(activities: [], roles: ["color@v1", "visualizer@v1"])
        case "metadata": ServerActivation(activities: [], roles: ["metadata@v1"])
        case "none": ServerActivation(activities: [], roles: [])
        case "playback": ServerActivation(activities: [.playback])
        case "playback+all": ServerActivation(activities: [.playback], roles: Self.allRoles)
        case "pairing": ServerActivation(activities: [.pairing], roles: [], pairingMethod: "pairing_psk")
        case "digits", "qr_code":
            ServerActivation(
                activities: [.pairing], roles: [], pairingMethod: "dynamic_pairing_code", codeFormat: argument)
        case "code": ServerActivation(activities: [.pairing], roles: [], pairingMethod: "static_pairing_code")
        case "dance": ServerActivation(activities: [], unknownActivities: ["dance"], roles: [])
        default: fatalError("unknown activation \(argument)")
        }
    }
}
