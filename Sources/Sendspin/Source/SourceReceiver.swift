import Durations
import GStreamer
import SendspinProtocol
import Threads

/// The network side of `sendspinsrc`.
final class SourceReceiver: ServerLink {
    let core: LinkCore
    let host: ElementHost
    let report: SendspinSourceReport
    let profile: PlayerProfile
    let settings: SendspinSourceSettings

    private struct Commands {
        /// Of player commands, because each one notifies properties and pushes an event.
        var budget = PeerBudget(capacity: 60, pause: .milliseconds(100))
        var isWaiting = false
    }

    /// Maximum duration of a buffer with several chunks of PCM; with 100 ms, `sendspinsync` has too few measurements.
    private static let bufferTime = Duration.milliseconds(75)

    private let commands = Mutex(Commands())
    /// The last applied value of the property `output-delay`.
    private let appliedDelay: Mutex<Duration>

    init(
        _ host: ElementHost, _ settings: SendspinSourceSettings, _ codecs: [AudioCodec], _ report: SendspinSourceReport
    ) throws(ElementError) {
        self.host = host
        self.report = report
        self.settings = settings
        appliedDelay = Mutex(settings.outputDelay)
        let client = try ClientProfile(settings, host, SendspinSource.log)
        core = try LinkCore(
            settings, allowsUnencrypted: settings.allowsUnencrypted, client, report.link, host, SendspinSource.log)
        profile = try PlayerProfile(settings, codecs, client)
        let wanted = report.takeWantedVolume()
        if let wanted { profile.change { wanted.apply(to: &$0) } }
        let player = profile.player
        if wanted == nil, report.isNews(player) { postSilence(player) }
        report.playerChanged(player)
        report.queue.change { queue in
            queue.begin(capacity: Int(settings.bufferCapacity))
            queue.outputDelay = player.outputDelay
        }
    }

    /// Posts an info message if the player starts silent, as at its last use.
    private func postSilence(_ player: PlayerState) {
        guard player.isMuted || player.volume == 0 else { return }
        let text = player.isMuted ? "muted" : "with the volume 0 %"
        host.post(
            info: .resource(
                .settings, "This player starts \(text), as at its last use. Change it in the server or the application."
            ))
    }

    /// Applies a new output delay; a change of another property keeps the delay that the server has set.
    func settingsChanged(_ settings: SendspinSourceSettings) {
        let isNew = appliedDelay.withLock { applied in
            defer { applied = settings.outputDelay }
            return applied != settings.outputDelay
        }
        if isNew { changePlayer { $0.outputDelay = settings.outputDelay } }
    }

    func changePlayer(_ body: (inout PlayerState) -> Void) {
        guard profile.change(body) else { return }
        playerChanged()
        give(.perform { [profile] session, now in session.update(profile.player, at: now) })
    }

    // MARK: ServerLink

    var configuration: SessionConfiguration { profile.configuration }

    func makeSession(
        _ configuration: SessionConfiguration, _ credentials: Credentials, _ clock: SessionClock?
    ) -> Session { Session(configuration, credentials, profile.player, clock: clock) }

    func note(_ counters: SessionCounters) { report.queue.note(counters) }

    func work(_ session: inout Session, of connection: ServerConnection, unsentBytes: Int) -> [SessionAction] {
        profile.saveIfDue()
        handleEvent(of: connection) {
            report.announceDue()
            applyCommand(at: MonotonicClock.now)
        }
        return []
    }

    func workDeadline(of connection: ServerConnection) -> Duration? {
        let isCurrent = isCurrent(connection)
        return [
            profile.saveDeadline, isCurrent ? report.announcementDeadline : nil, isCurrent ? commandDeadline : nil,
        ].compactMap { $0 }.min()
    }

    func saveState() { profile.saveNow() }

    /// Queues a chunk of the connection that plays, while no event handler runs.
    func chunkArrived(
        _ chunk: AudioChunk, _ format: AudioFormat, _ counters: SessionCounters, of connection: ServerConnection
    ) {
        let (bytes, duration) = (chunk.payload, chunk.duration(format))
        let admission = core.turn.await { turn -> Monitor<LinkCore.Turn>.Step<ChunkAdmission?> in
            guard turn.current === connection, !core.waker.isCancelled else { return .done(nil) }
            guard !turn.isBusy else { return .wait(0, until: nil) }
            var room = 0
            // Samples that follow each other need no wake-up of the streaming thread for each message.
            if format.codec == .pcm, let duration, duration <= Self.bufferTime / 2 {
                switch report.queue.append(bytes, at: chunk.timestamp, duration: duration, counters) {
                case .done: return .done(.accepted)
                case .next: room = max(Int(Self.bufferTime / duration) - 1, 0) * bytes.count
                case .refused: break
                }
            }
            guard let buffer = QueuedBuffer(copying: bytes, room: room) else { return .done(nil) }
            return .done(
                report.queue.insert(
                    buffer, at: chunk.timestamp, duration: duration, bytes: bytes.count, room: room, counters))
        }
        guard let admission, admission != .accepted else { return }
        SendspinSource.log.debug(host, "a chunk was not accepted: \(admission)")
    }

    // MARK: Commands

    /// Applies the state that a server has set; above the budget, `applyCommand` applies it later.
    func commanded() {
        commands.withLock { $0.isWaiting = true }
        applyCommand(at: MonotonicClock.now)
    }

    /// Applies a waiting state if the budget permits it, or always if `now` is nil.
    func applyCommand(at now: Duration?) {
        let applies = commands.withLock { commands in
            guard commands.isWaiting, now.map({ commands.budget.take(at: $0) }) ?? true else { return false }
            commands.isWaiting = false
            return true
        }
        if applies { playerChanged() }
    }

    /// Time from which `applyCommand` applies a waiting state; nil if none waits.
    var commandDeadline: Duration? { commands.withLock { $0.isWaiting ? $0.budget.next : nil } }
}

extension AudioChunk {
    /// Calculates the duration of the chunk from its data; nil if unknown.
    fileprivate func duration(_ format: AudioFormat) -> Duration? {
        let samples: Int?
        switch format.codec {
        case .pcm: samples = payload.count / max(format.channels * format.bitDepth / 8, 1)
        case .opus: samples = OpusPacket.samples(in: payload)
        case .flac: samples = FLACFrames.samples(in: payload)
        }
        guard let samples, format.sampleRate > 0 else { return nil }
        // The chunk has at most 2 MB, so the product cannot overflow.
        return .nanoseconds(Int64(samples) * 1_000_000_000 / Int64(format.codec == .opus ? 48_000 : format.sampleRate))
    }
}
