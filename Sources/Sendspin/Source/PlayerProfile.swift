import GStreamer
import SendspinProtocol
import SendspinSecurity
import Threads

/// Configuration and state of the player; the state survives a restart of the application.
final class PlayerProfile: Sendable {
    /// Time from the start of a stream to its first sample, for negotiation, FLAC latency and the sink's ring buffer.
    private static let leadTime = Duration.milliseconds(1000)
    private static let leastBuffer = Duration.milliseconds(500)

    private struct Kept {
        var player: PlayerState
        var schedule = SavingSchedule()
    }

    let configuration: SessionConfiguration
    private let client: ClientProfile
    private let kept: Mutex<Kept>

    /// Loads the files of the player; `codecs` contains the codecs that downstream accepts.
    init(
        _ settings: SendspinSourceSettings, _ codecs: [AudioCodec], _ client: ClientProfile
    ) throws(ElementError) {
        self.client = client
        let stored = try client.loadState()
        var roles: [Role] = [.player, .metadata, .controller, .artwork]
        if settings.receivesColours { roles.append(.color) }
        if !settings.visualizer.isEmpty { roles.append(.visualizer) }
        var configuration = SessionConfiguration(
            name: client.name,
            device: DeviceInformation(productName: "sendspinsrc", manufacturer: "gst-plugins-swift"),
            roles: roles, formats: OfferedFormats.list(codecs),
            bufferCapacity: Int(settings.bufferCapacity),
            artwork: [ArtworkChannel(source: .album, format: .jpeg, width: 600, height: 600)],
            dialect: settings.allowsUnencrypted ? .legacy : .encrypted, legacyClientID: client.id,
            isServerInitiated: settings.listenAddress != nil)
        configuration.visualizer = VisualizerRequest(
            kinds: settings.visualizer, rate: Int(settings.visualizerRate), bandCount: Int(settings.visualizerBands))
        self.configuration = configuration
        let player = PlayerState(
            volume: stored.volume ?? 100, isMuted: stored.isMuted,
            outputDelay: settings.outputDelay == .zero ? stored.outputDelay : settings.outputDelay,
            requiredLeadTime: Self.leadTime, minimumBuffer: Self.leastBuffer)
        kept = Mutex(Kept(player: player))
    }

    var player: PlayerState { kept.withLock { $0.player } }

    /// Changes the state, and calls `saveIfDue`; false if the state remains the same.
    @discardableResult
    func change(_ body: (inout PlayerState) -> Void) -> Bool {
        let hasChanged = kept.withLock { kept in
            let old = kept.player
            body(&kept.player)
            guard kept.player != old else { return false }
            kept.schedule.changed()
            return true
        }
        if hasChanged { saveIfDue() }
        return hasChanged
    }

    /// Time at which `saveIfDue` must be called next; nil if the state is stored.
    var saveDeadline: Duration? { kept.withLock { $0.schedule.deadline } }

    /// Stores a changed state, at most once per second: a slider sends many volumes, and each write is synced to disk.
    func saveIfDue() { save(at: MonotonicClock.now) }

    func saveNow() { save(at: nil) }

    private func save(at now: Duration?) {
        let due = kept.withLock { $0.schedule.takes(at: now) ? $0.player : nil }
        guard let player = due else { return }
        client.save { stored in
            stored.volume = player.volume
            stored.isMuted = player.isMuted
            stored.outputDelay = player.outputDelay
        }
    }
}

private enum OfferedFormats {
    /// All formats of the codecs, in the order of the codecs; rates up to 48 kHz are first, because they are common.
    static func list(_ codecs: [AudioCodec]) -> [AudioFormat] {
        codecs.flatMap { codec -> [AudioFormat] in
            switch codec {
            case .opus: [AudioFormat(codec: .opus, channels: 2, sampleRate: 48_000, bitDepth: 16)]
            case .flac, .pcm:
                [48_000, 44_100, 96_000, 192_000].flatMap { rate in
                    [16, 24].map { AudioFormat(codec: codec, channels: 2, sampleRate: rate, bitDepth: $0) }
                }
            }
        }
    }
}
