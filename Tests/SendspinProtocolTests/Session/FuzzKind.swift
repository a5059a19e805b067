import Durations
import JSON
@testable import SendspinProtocol
import SendspinSupport

/// Kind of message that the fuzz test mutates, with well-formed seeds.
enum FuzzKind: String, CaseIterable {
    case initialization, error, handshake, hello, activation, time, state, command, group, start, clear, end, unpair
    case pairingCode, pairingDone, pairingAbort, audio, artwork, visualizer, fragment, raw

    /// Messages of this kind that the test mutates as text; empty for binary kinds.
    var messages: [ServerMessage] {
        let flac = AudioFormat(codec: .flac, channels: 2, sampleRate: 48000, bitDepth: 16)
        let pcm = AudioFormat(codec: .pcm, channels: 2, sampleRate: 44100, bitDepth: 16)
        let channel = ArtworkChannel(source: .album, format: .jpeg, width: 100, height: 100)
        let key = String(repeating: "A", count: 43)
        switch self {
        case .initialization: return [.initialization(serverID: key)]
        case .error: return [.error(reason: "malformed")]
        case .handshake: return [.handshake(String(repeating: "abcd", count: 40))]
        case .hello:
            let admission = LegacyAdmission(serverID: key, roles: ["player@v1", "artwork@v1"], isForPlayback: true)
            return [
                .hello(ServerHello(name: "Server", languages: ["de"], legacy: admission)),
                .hello(ServerHello(name: "Server", sourceCodecs: AudioCodec.allCases)),
            ]
        case .activation:
            return [
                .activation(ServerActivation(activities: [.playback], roles: Role.allCases.map(\.rawValue))),
                .activation(ServerActivation(activities: [.pairing], roles: [], pairingMethod: "pairing_psk")),
                .activation(
                    ServerActivation(
                        activities: [.pairing], roles: [], pairingMethod: "dynamic_pairing_code", codeFormat: "digits")),
            ]
        case .time: return [.time(sent: .seconds(100), received: .seconds(5100), transmitted: .seconds(5100))]
        case .state:
            var metadata = Metadata(timestamp: .seconds(5101), title: "T", artist: "A", album: "B")
            metadata.progress = TrackProgress(position: .seconds(1), duration: .seconds(100))
            metadata.year = 1999
            let controller = ControllerState(
                commands: [.play, .seek], volume: 5, isMuted: false, seekLimit: .seconds(9))
            let palette = Palette(timestamp: .seconds(5101), colours: [.primary: 0x01_80_FF, .onDark: 0xFF_FF_FF])
            return [.state(ServerState(metadata: metadata, controller: controller, palette: palette))]
        case .command:
            return [
                .command(.volume(5)), .command(.mute(true)), .command(.outputDelay(.milliseconds(9))),
                .command(nil, source: .start), .command(nil, source: .stop),
            ]
        case .group: return [.group(GroupUpdate(playback: .playing, groupID: "g", groupName: "G"))]
        case .start:
            let flacStream = PlayerStream(format: flac, codecHeader: SessionRig.flacHeader)
            return [
                .streamStart(StreamStart(serverTransmitted: .seconds(1), player: flacStream, artwork: [channel])),
                .streamStart(StreamStart(player: PlayerStream(format: pcm), hasVisualizer: true)),
            ]
        case .clear:
            return [.streamClear(StreamScope(families: ["player", "visualizer"], serverTransmitted: .seconds(1)))]
        case .end: return [.streamEnd(StreamScope(families: ["player", "artwork"]))]
        case .unpair: return [.unpair]
        case .pairingCode:
            return [
                .pairingRound(nonce: key), .pairingRound(nonce: nil), .pairingShare(key),
                .pairingTag(String(repeating: "A", count: 86)),
            ]
        case .pairingDone: return [.pairingDone]
        case .pairingAbort: return [.pairingAbort("user_cancelled")]
        case .audio, .artwork, .visualizer, .fragment, .raw: return []
        }
    }

    /// Binary messages of this kind with their type, or transport messages for `fragment`; empty for texts.
    var binaries: [[UInt8]] {
        switch self {
        case .audio:
            let chunk = AudioChunk(
                timestamp: .seconds(5100), sendAhead: .seconds(1), payload: [1, 2, 3, 4, 5, 6, 7, 8])
            return [chunk.bytes(.encrypted), chunk.bytes(.legacy)]
        case .artwork:
            return [
                ArtworkMessage.announcement(channel: 0, timestamp: .seconds(5100), size: 6).bytes,
                ArtworkMessage.part(channel: 0, data: [1, 2, 3]).bytes, ArtworkMessage.cancellation(channel: 0).bytes,
                ArtworkMessage.announcement(channel: 0, timestamp: .seconds(5100), size: Int(UInt32.max)).bytes,
                ArtworkMessage.image(channel: 0, timestamp: .seconds(5100), data: [5, 6]).bytes,
            ]
        case .visualizer:
            var frame = VisualizerFrame(timestamp: .seconds(5101), loudness: 500, isDownbeat: true, peak: 7)
            frame.strongest = VisualizerFrame.Tone(frequency: 440, level: 9)
            frame.spectrum = [UInt16](repeating: 8, count: VisualizerRequest().bandCount)
            return frame.messages
        case .fragment: return [[1, 2, 4, 5, 6], [1, 0, 7, 8, 9], [1, 1, 3], [1, 3, 0, 0x7B, 0x7D]]
        case .raw: return [[UInt8](repeating: 0x55, count: 40)]
        default: return []
        }
    }
}
