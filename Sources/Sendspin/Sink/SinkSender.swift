import Durations
import GStreamer
import SendspinProtocol
import Threads

/// The network side of `sendspinsink`.
final class SinkSender: ServerLink {
    /// Bytes that the socket may hold; more audio waits in the queue, where the oldest is dropped.
    private static let mostUnsent = 1 << 16
    /// Interval at which a thread tries to send again; the socket does not report that it has sent its data.
    private static let retryInterval = Duration.milliseconds(5)

    private struct Sending {
        /// Format of the next chunks from the queue; nil before the first one, and after the end of the capture.
        var format: CaptureFormat?
        var clock = CaptureClock()
        /// Identity of the pipeline's clock that `clock` describes.
        var clockIdentity: UInt?
        var isBlocked = false
        /// Whether the application has been warned of chunks that are too long.
        var hasWarned = false
        /// Warnings that `work` posts after it has unlocked the mutex.
        var warnings: [ElementError] = []
    }

    let core: LinkCore
    let configuration: SessionConfiguration
    private let report: SendspinSinkReport
    private let settings: SendspinSinkSettings
    /// Only the thread of the connection that is served locks it.
    private let sending = Mutex(Sending())

    init(
        _ host: ElementHost, _ settings: SendspinSinkSettings, _ report: SendspinSinkReport
    ) throws(ElementError) {
        (self.report, self.settings) = (report, settings)
        // Any machine of the network can pretend to be a server that is found, or connect to a source that listens, and
        // the input may be a microphone. A source that listens does not connect to `uri`.
        let isChosen = settings.server != nil && settings.listenAddress == nil
        let isOpen = isChosen || settings.unpairedAccess != .untilPaired
        let profile = try ClientProfile(settings, access: isOpen ? nil : .never, host, SendspinSink.log)
        core = try LinkCore(settings, profile, report.link, host, SendspinSink.log)
        var configuration = SessionConfiguration(
            name: profile.name,
            device: DeviceInformation(productName: SendspinSink.factoryName, manufacturer: "gst-plugins-swift"),
            roles: [.source], formats: [], bufferCapacity: 0, isServerInitiated: settings.listenAddress != nil)
        configuration.sensesLine = settings.sensesLine
        self.configuration = configuration
    }

    /// Makes the thread of the connection send what waits; any thread may call it, and it allocates nothing.
    func wake() { core.turn.change { $0.current }?.wake() }

    // MARK: ServerLink

    func makeSession(
        _ configuration: SessionConfiguration, _ credentials: Credentials, _ clock: SessionClock?
    ) -> Session { Session(configuration, credentials, PlayerState(), clock: clock) }

    func handleCurrent(_ event: SessionEvent, of connection: ServerConnection) {
        switch event {
        case .activated(let activities, let roles):
            if !roles.contains(.source), !activities.contains(.pairing) { warnOfMissingApproval() }
        case .clock(let estimate, _), .clockStepped(let estimate): report.follow(estimate)
        case .sourceStarted(let stream):
            core.log.info(core.host, "the server receives \(stream.format)")
            report.opened()
            report.post(stream)
        case .sourceEnded: if report.closed() { report.post(nil) }
        case .sourceRefused(let format):
            warn(
                .stream(
                    .codecNotFound,
                    "The server \(core.report.serverName ?? "") does not accept \(format.codec.rawValue). Use flacenc, or "
                        + "no encoder."))
        default: break
        }
    }

    private func warnOfMissingApproval() {
        let mayBeUnpaired =
            core.partner.map { permitsUnpairedAccess(of: $0.core) } ?? core.profile.allowsUnpairedAccess
        let remedy =
            mayBeUnpaired || core.report.isPaired
            ? "Approve it as a source in the settings of the server, or pair it."
            : "It sends to paired servers only: pair it."
        warn(
            .resource(
                .notAuthorized, "The server \(core.report.serverName ?? "") does not accept audio. \(remedy)",
                debug: "The action signal get-pairing-token returns the token that the server asks for."))
    }

    /// A new connection may displace one whose stream is open.
    func serverConnected(_ change: ServerChange) { connectionEnded() }

    func connectionEnded() { if report.serverLeft() { report.post(nil) } }

    func chunkArrived(
        _ chunk: AudioChunk, _ format: AudioFormat, _ counters: SessionCounters, of connection: ServerConnection
    ) {}

    func note(_ counters: SessionCounters) { report.note(counters) }

    func workDeadline(of connection: ServerConnection) -> Duration? {
        let isBlocked = isCurrent(connection) && sending.withLock { $0.isBlocked }
        return isBlocked ? MonotonicClock.now + Self.retryInterval : nil
    }

    func saveState() {}

    // MARK: With a player

    func join(_ configuration: inout SessionConfiguration, of player: LinkCore) {
        configuration.roles.append(.source)
        configuration.sensesLine = settings.sensesLine
        if !permitsUnpairedAccess(of: player) { configuration.pairedRoles = [.source] }
    }

    /// Whether a server that is not paired with the player may receive the input, if the player permits it to connect.
    ///
    /// The rule is that of a source with its own connection: the user must have chosen the server for the input, too, and
    /// another identity at its address must be refused.
    private func permitsUnpairedAccess(of player: LinkCore) -> Bool {
        switch settings.unpairedAccess {
        case .never: false
        case .always: true
        case .untilPaired:
            settings.server != nil && settings.server == player.address && settings.listenAddress == nil
                && player.listenAddress == nil && player.profile.unpairedAccess != .always
        }
    }

    func becameGuest(of player: LinkCore) {
        // A connection of before remains, because a server that may not have the source does not notice it.
        if player.report.isConnected, !player.report.isPaired, !permitsUnpairedAccess(of: player) {
            warnOfMissingApproval()
        }
        let isOverridden: KeyValuePairs = [
            "uri": settings.server != nil && settings.server != player.address,
            "listen-address": settings.listenAddress != nil && settings.listenAddress != player.listenAddress,
            "client-name": settings.clientName != nil && settings.clientName != player.profile.name,
            "unpaired-access": settings.unpairedAccess == .always && player.profile.unpairedAccess != .always,
            "pairing-code": settings.pairingCode != .none && settings.pairingCode.formats != player.codeFormats,
        ]
        let names = isOverridden.filter(\.value).map(\.key)
        guard !names.isEmpty else { return }
        core.host.post(
            warning: .resource(
                .settings,
                "This source and the player with the same storage-folder are one client, with the player's "
                    + names.joined(separator: ", ") + "."))
    }

    func work(_ session: inout Session, of connection: ServerConnection, unsentBytes: Int) -> [SessionAction] {
        guard isCurrent(connection) else { return [] }
        let (actions, warnings) = sending.withLock { sending -> ([SessionAction], [ElementError]) in
            let actions = send(&session, &sending, unsentBytes, of: connection)
            if report.counts.tooLong > 0, !sending.hasWarned.exchange(true) { sending.warnings.append(Self.tooLong) }
            defer { sending.warnings = [] }
            return (actions, sending.warnings)
        }
        for warning in warnings { core.host.post(warning: warning) }
        return actions
    }

    private static var tooLong: ElementError {
        .stream(
            .encode,
            "Encoded buffers of more than 150 ms are not sent. Set blocksize of flacenc to at most 15 % of the sample rate."
        )
    }

    private static var missingLevel: ElementError {
        .stream(
            .wrongType, "line-sense has no effect with FLAC and Opus: only raw audio has a level. Omit the encoder.")
    }

    // MARK: Sending

    /// Reports the state of the source, and sends the audio for which there is room.
    private func send(
        _ session: inout Session, _ sending: inout Sending, _ unsentBytes: Int, of connection: ServerConnection
    ) -> [SessionAction] {
        var unsent = unsentBytes
        sending.isBlocked = false
        var actions = session.update(state(sending), at: MonotonicClock.now)
        // The queue may hold audio until the activation that follows a new handshake.
        while session.sourceStream == nil || session.mayCapture, isCurrent(connection) {
            guard unsent < Self.mostUnsent else {
                sending.isBlocked = true
                break
            }
            switch report.next() {
            case .format(let format):
                sending.format = format
                if format.sample == nil, configuration.sensesLine { sending.warnings.append(Self.missingLevel) }
                actions += session.update(state(sending), at: MonotonicClock.now)
            case .end:
                sending.format = nil
                actions += session.update(state(sending), at: MonotonicClock.now)
            case .chunk(let time, let payload):
                guard let local = local(at: time, &sending), let server = session.serverTime(at: local) else {
                    continue
                }
                actions += session.send(SourceChunk(timestamp: server, payload: payload)) ?? []
                unsent += payload.count
            case nil: return actions
            }
        }
        return actions
    }

    private func state(_ sending: Sending) -> CaptureState {
        let (isPlaying, signal, _) = report.state
        return CaptureState(stream: isPlaying ? sending.format?.stream : nil, signal: signal)
    }

    /// Local time at a capture time; nil if the clock cannot be read.
    private func local(at time: Duration, _ sending: inout Sending) -> Duration? {
        guard let clock = report.state.clock else { return time }
        if sending.clockIdentity != clock.identity {
            (sending.clock, sending.clockIdentity) = (CaptureClock(), clock.identity)
        }
        if sending.clock.needsReading(at: MonotonicClock.now),
            let (local, reading) = ClockReference.closest({ MonotonicClock.now }, { clock.time })
        {
            sending.clock.add(clock: reading, local: local)
        }
        return sending.clock.local(at: time)
    }
}

extension Bool {
    /// Sets the value, and returns the previous one.
    fileprivate mutating func exchange(_ new: Bool) -> Bool {
        defer { self = new }
        return self
    }
}
