import Durations
import GStreamer
import SendspinProtocol
import Threads

/// State of `sendspinsrc` that its threads and its read-only properties share.
final class SendspinSourceReport: Sendable {
    /// Counts since the creation of the element.
    struct Counts: Sendable {
        var connections = 0
        var connectionAttempts = 0
        var clears = 0
        var ends = 0
        var formats = 0
    }

    private struct State {
        var receiver: SourceReceiver?
        var server: SessionServer?
        var connection: ObjectIdentifier?
        var lastServerID: String?
        var isNewServer = false
        var counts = Counts()
        var volume = PlayerVolume()
        var wantedVolume: PlayerVolume?
        var format: AudioFormat?
        var controller: ControllerState?
        var announcements = Announcements()
        var listenAddress: String?
        /// Time of the next connection attempt; nil during an attempt or a connection.
        var nextAttempt: Duration?
    }

    let queue = SourceQueue()
    /// The element's clock; nil if another plugin has registered a type of this name.
    let clock = SendspinClock()
    private let host: ElementHost
    private let state = Mutex(State())
    private let flushing = Mutex(FlushTurn())

    init(_ host: ElementHost) { self.host = host }

    var receiver: SourceReceiver? {
        get { state.withLock { $0.receiver } }
        set { state.withLock { $0.receiver = newValue } }
    }

    /// Whether downstream is flushed when the server clears or ends the stream.
    var flushes: Bool { receiver?.settings.flushes ?? false }

    // MARK: Properties

    var isConnected: Bool { state.withLock { $0.server != nil } }
    var isPaired: Bool { state.withLock { $0.server?.isPaired ?? false } }
    var serverName: String? { state.withLock { $0.server?.name } }
    var volume: UInt32 { UInt32(clamping: state.withLock { $0.volume.percent }) }
    var isMuted: Bool { state.withLock { $0.volume.isMuted } }

    func listens(at address: String) { state.withLock { $0.listenAddress = address } }

    /// Removes the listen address of an old run, whose thread may report late, unless a new run has set another one.
    func listensNoMore(at address: String) {
        state.withLock { if $0.listenAddress == address { $0.listenAddress = nil } }
    }

    /// Controller state of the group; nil before the server has sent it.
    var controller: ControllerState? { state.withLock { $0.controller } }

    // MARK: Downstream

    /// Handles an event from downstream; nil if the event must also be handled by GstBaseSrc.
    func handle(_ event: borrowing Event) -> Bool? {
        if let request = FlushRequest(event) {
            if request.prerolls { queue.change { $0.mustPreroll() } }
            flush()
            return true
        }
        guard let latency = event.latency else { return nil }
        let now = MonotonicClock.now
        queue.change { $0.latencyArrived(latency, now: now) }
        return nil
    }

    /// Flushes downstream; any thread may call this method except the streaming thread.
    func flush() {
        guard flushing.withLock({ $0.begin() }) else { return }
        repeat { host.flushSource() } while flushing.withLock { $0.isRepeated() }
    }

    // MARK: Network thread

    func count(_ body: (inout Counts) -> Void) { state.withLock { body(&$0.counts) } }

    /// Sets the time of the next connection attempt; nil during an attempt.
    func setNextAttempt(at time: Duration?) { state.withLock { $0.nextAttempt = time } }

    func streamStarted(_ format: AudioFormat) {
        state.withLock { state in
            state.format = format
            state.counts.formats += 1
        }
    }

    /// Notes the server of a connection, and returns whether it replaces another server.
    ///
    /// The caller must notify the property `connected`.
    func connected(_ server: SessionServer, by connection: ObjectIdentifier) -> Bool {
        state.withLock { state in
            defer { state.lastServerID = server.id }
            state.announcements.begin()
            state.isNewServer = state.lastServerID != server.id
            state.server = server
            state.connection = connection
            state.counts.connections += 1
            return state.isNewServer && state.lastServerID != nil
        }
    }

    /// Forgets the server of a connection; false if a newer connection was noted.
    func disconnected(from connection: ObjectIdentifier) -> Bool {
        state.withLock { state in
            guard state.connection == connection else { return false }
            (state.server, state.connection, state.controller) = (nil, nil, nil)
            return true
        }
    }

    /// Returns whether the next estimate is the first one of another server; true only once per server.
    func takeIsNewServer() -> Bool {
        state.withLock { state in
            defer { state.isNewServer = false }
            return state.isNewServer
        }
    }

    /// Whether the player's volume differs from the volume property.
    func isNews(_ player: PlayerState) -> Bool {
        let volume = PlayerVolume(percent: player.volume, isMuted: player.isMuted)
        return state.withLock { $0.volume != volume }
    }

    /// Updates the properties after the server or the application has changed the player.
    func playerChanged(_ player: PlayerState) {
        let volume = PlayerVolume(percent: player.volume, isMuted: player.isMuted)
        let hasChanged = state.withLock { state in
            defer { state.volume = volume }
            return state.volume != volume
        }
        guard hasChanged else { return }
        pushVolume()
        host.notify("volume")
        host.notify("mute")
    }

    func pushVolume() {
        guard let pad = host.pad("src"), let event = state.withLock({ $0.volume }).event else { return }
        pad.push(event)
    }

    /// Sets the volume for the application; while the element is stopped, it applies at the next start.
    func setVolume(_ volume: PlayerVolume) {
        guard let receiver else { return state.withLock { $0.wantedVolume = volume } }
        receiver.changePlayer { volume.apply(to: &$0) }
    }

    /// Takes the volume that the application set before the start; nil if there is none.
    func takeWantedVolume() -> PlayerVolume? {
        state.withLock { state in
            defer { state.wantedVolume = nil }
            return state.wantedVolume
        }
    }

    /// Sends a command for the group; false if the server does not offer it.
    func control(_ command: ControllerCommand) -> Bool {
        guard controller?.commands.contains(command.name) == true else { return false }
        return receiver?.give(.control(command)) ?? false
    }

    func controllerChanged(_ controller: ControllerState?) {
        state.withLock { $0.controller = controller }
        if let controller { announce { $0.add(GroupMessages.controller(controller)) } }
    }

    // MARK: Announcements

    /// Time at which `announceDue` must be called next; nil if nothing waits.
    var announcementDeadline: Duration? { state.withLock { $0.announcements.deadline } }

    /// Changes the announcements, and posts those that the budget permits.
    func announce(_ change: (inout Announcements) -> Void) {
        state.withLock { change(&$0.announcements) }
        announceDue()
    }

    /// Posts the announcements that the budget permits.
    func announceDue() {
        while let due = state.withLock({ $0.announcements.take(at: MonotonicClock.now) }) { carryOut(due) }
    }

    /// Posts the waiting announcements, before the message about the loss of the server.
    func announceRest() {
        while let next = state.withLock({ $0.announcements.takeFirst() }) { carryOut(next) }
    }

    private func carryOut(_ announcement: Announcements.Announcement) {
        switch announcement {
        case .message(let message): host.post(message)
        case .tags(let tags): queue.change { $0.setTags(tags) }
        }
    }

    // MARK: Statistics

    /// The property `stats`, with times in nanoseconds.
    var stats: Structure {
        let (server, counts, format, listenAddress, nextAttempt) = state.withLock {
            ($0.server, $0.counts, $0.format, $0.listenAddress, $0.nextAttempt)
        }
        let (session, chunks, bytes, playingTime, latency, delay, estimate) = queue.change {
            ($0.session, $0.counts, $0.bytes, $0.playingTime, $0.latency, $0.outputDelay, $0.estimate)
        }
        var stats = Structure("sendspin-stats")
        stats["server"] = server.map { Structure.Value.string($0.name) }
        stats["encrypted"] = .bool(server?.isEncrypted ?? false)
        stats["listen-address"] = listenAddress.map { .string($0) }
        stats["format"] = format.map { Structure.Value.string("\($0)") }
        stats["clock-offset"] = estimate.map { .int64(Int64(nanosecondsOf: $0.offset)) }
        stats["clock-drift-ppm"] = estimate.map { .double($0.drift * 1e6) }
        stats["clock-uncertainty"] = estimate.map { .duration($0.uncertainty) }
        stats["clock-steps"] = .uint64(UInt64(session.clockSteps))
        stats["latency"] = .duration(latency)
        stats["output-delay"] = .duration(delay)
        stats["buffer-bytes"] = .uint64(UInt64(bytes))
        stats["buffer-time"] = playingTime.map { .duration($0) }
        stats["chunks"] = .uint64(UInt64(chunks.accepted))
        stats["played"] = .uint64(UInt64(chunks.returned))
        stats["late"] = .uint64(UInt64(chunks.lateAtArrival + chunks.lateInBuffer))
        stats["refused"] = .uint64(UInt64(chunks.refused))
        stats["duplicates"] = .uint64(UInt64(chunks.duplicates + chunks.overlaps))
        stats["gaps"] = .uint64(UInt64(chunks.gaps))
        stats["gap-time"] = .duration(chunks.gapTime)
        stats["connections"] = .uint64(UInt64(counts.connections))
        stats["connection-attempts"] = .uint64(UInt64(counts.connectionAttempts))
        stats["next-attempt-time"] = nextAttempt.map { .duration(max($0 - MonotonicClock.now, .zero)) }
        stats["clears"] = .uint64(UInt64(counts.clears))
        stats["stream-ends"] = .uint64(UInt64(counts.ends))
        stats["formats"] = .uint64(UInt64(counts.formats))
        stats["messages"] = .uint64(UInt64(session.messagesReceived))
        stats["ignored-messages"] = .uint64(UInt64(session.messagesIgnored))
        return stats
    }
}

extension SendspinSourceReport {
    /// Serializes the flushes of several threads.
    ///
    /// Between the FLUSH_START and FLUSH_STOP of one thread, the FLUSH_STOP of another thread would restart the
    /// streaming thread, for which the first thread waits. So the thread that flushes repeats its flush instead.
    struct FlushTurn: Sendable {
        private var isRunning = false
        private var isRequested = false

        mutating func begin() -> Bool {
            isRequested = isRunning
            defer { isRunning = true }
            return !isRunning
        }

        /// Whether the caller must flush again; if not, its turn ends.
        mutating func isRepeated() -> Bool {
            defer { (isRunning, isRequested) = (isRequested, false) }
            return isRequested
        }
    }
}
