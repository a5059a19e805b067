import Durations
import GStreamer
import SendspinProtocol
import Threads

/// State of `sendspinsrc` that its threads and its read-only properties share.
final class SendspinSourceReport: Sendable {
    /// Counts since the creation of the element.
    struct Counts: Sendable {
        var clears = 0
        var ends = 0
        var formats = 0
    }

    private struct State {
        var receiver: SourceReceiver?
        var isNewServer = false
        /// Whether the element is in PLAYING, where its running time passes.
        var isPlaying = false
        var counts = Counts()
        var volume = PlayerVolume()
        var wantedVolume: PlayerVolume?
        var format: AudioFormat?
        var controller: ControllerState?
        var announcements = Announcements()
    }

    let link = LinkReport()
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

    var volume: UInt32 { UInt32(clamping: state.withLock { $0.volume.percent }) }
    var isMuted: Bool { state.withLock { $0.volume.isMuted } }

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

    /// Running time at which the audio of a server time is heard; nil outside PLAYING, without a clock, and before 0.
    func runningTime(at server: Duration) -> Duration? {
        let (estimate, shift) = queue.change { ($0.estimate, $0.shift) }
        guard state.withLock({ $0.isPlaying }), let clock = host.clock, let base = host.baseTime,
            let time = self.clock?.time(of: clock, at: server, estimate, shift: shift), time >= base
        else { return nil }
        return time - base
    }

    func setPlaying(_ isPlaying: Bool) { state.withLock { $0.isPlaying = isPlaying } }

    func count(_ body: (inout Counts) -> Void) { state.withLock { body(&$0.counts) } }

    func streamStarted(_ format: AudioFormat) {
        state.withLock { state in
            state.format = format
            state.counts.formats += 1
        }
    }

    /// Notes the server of a new connection.
    func serverConnected(_ change: ServerChange) {
        state.withLock { state in
            state.announcements.begin()
            state.isNewServer = change != .same
        }
    }

    /// Posts the waiting announcements of a server whose connection has ended.
    func serverLost() {
        state.withLock { $0.controller = nil }
        announceRest()
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
        return receiver?.give(.perform { session, _ in session.send(command) ?? [] }) ?? false
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
    private func announceRest() {
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
        let (counts, format) = state.withLock { ($0.counts, $0.format) }
        let (session, chunks, bytes, playingTime, latency, delay, estimate) = queue.change {
            ($0.session, $0.counts, $0.bytes, $0.playingTime, $0.latency, $0.outputDelay, $0.estimate)
        }
        var stats = Structure("sendspin-stats")
        link.addServer(to: &stats)
        stats["format"] = format.map { Structure.Value.string("\($0)") }
        LinkReport.add(estimate, to: &stats)
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
        link.addConnections(to: &stats)
        stats["visualizer-dropped"] = .uint64(UInt64(session.visualizerDropped))
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
