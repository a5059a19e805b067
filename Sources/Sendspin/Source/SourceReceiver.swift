import Durations
import GStreamer
import SendspinSecurity
import SendspinProtocol
import Sockets
import Threads
import WebSocket

/// The network side of `sendspinsrc`: connects to a server, or accepts servers, on its own threads.
///
/// It posts problems as warnings and retries, so that the stream continues when the server is back.
final class SourceReceiver: Sendable {
    let host: ElementHost
    let report: SendspinSourceReport
    let profile: PlayerProfile
    let waker: Waker
    let settings: SendspinSourceSettings
    private let pauses = Alarm()
    private let worker = Mutex<Worker?>(nil)
    private struct Turn {
        var current: ServerConnection?
        /// Whether a thread runs an event handler.
        var isBusy = false
    }

    private let turn = Monitor(Turn(), conditions: 1)
    /// Threads that may call handlers of messages and signals.
    private let threads = Mutex<Set<UInt>>([])

    private struct Budgets {
        /// Budget of connections, streams and pairings; each can cause many messages, also of elements downstream.
        var steps = PeerBudget(capacity: 60, pause: .seconds(5))
        /// Like `steps`, but for authenticated servers, which may start many streams when a user skips tracks.
        var authenticatedSteps = PeerBudget(capacity: 600, pause: .seconds(1))
        /// Budget of player commands, each of which notifies properties and pushes an event.
        var commands = PeerBudget(capacity: 60, pause: .milliseconds(100))
        var isCommandWaiting = false
        var warnings = PeerBudget(capacity: 10, pause: .seconds(30))
        /// Like `warnings`, but for servers that are not admitted, so that these do not use up the other budget.
        var otherWarnings = PeerBudget(capacity: 10, pause: .seconds(30))
    }

    private let budgets = Mutex(Budgets())
    /// The last applied value of the property `output-delay`.
    private let appliedDelay: Mutex<Duration>

    init(
        _ host: ElementHost, _ settings: SendspinSourceSettings, _ codecs: [AudioCodec], _ report: SendspinSourceReport
    ) throws(ElementError) {
        self.host = host
        self.report = report
        self.settings = settings
        appliedDelay = Mutex(settings.outputDelay)
        do throws(SocketFailure) { waker = try Waker() } catch {
            throw .resource(.failed, "\(WebSocketError.noResources(reason: error.reason))")
        }
        profile = try PlayerProfile(settings, codecs, host)
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

    func start() throws(ElementError) {
        // If the address is in use, the state change must fail.
        let listener: ServerListener?
        if let address = settings.listenAddress { listener = try ServerListener(self, address) } else { listener = nil }
        guard let started = Worker.start("sendspin", { [self] in onNetworkThread { run(listener) } }) else {
            throw .resource(.failed, "The system has no thread for sendspinsrc.")
        }
        worker.withLock { $0 = started }
    }

    /// Sends goodbye, closes the connections and joins the threads.
    ///
    /// If a message or signal handler calls this method on one of these threads, the threads end later.
    func stop() {
        waker.cancel()
        pauses.end()
        if !threads.withLock({ $0.contains(Worker.currentThread) }) { worker.withLock { $0 }?.join() }
        // The folder is released here, because the element may start again before these threads end.
        profile.close()
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
        give(.updatePlayer)
    }

    /// Removes a pairing, and ends the connection with this server; false if nothing was removed.
    func removePairing(_ serverID: String) -> Bool {
        profile.postFaultsAgain()
        guard profile.removeRecord(of: serverID) else { return false }
        give(.updatePlayer)
        return true
    }

    /// Accepts another server at the address of `uri`, or any if the ID is empty; false without `uri` or after a fault.
    func acceptServer(_ serverID: String) -> Bool {
        let identity = PublicKey(id: serverID)
        profile.postFaultsAgain()
        guard let address = settings.server, identity != nil || serverID.isEmpty,
            profile.remember(identity, at: address)
        else { return false }
        pauses.wake()
        return true
    }

    /// Gives an order to the connection that plays; false if there is none.
    @discardableResult
    func give(_ order: ServerConnection.Order) -> Bool {
        guard let connection = turn.change({ $0.current }) else { return false }
        connection.give(order)
        return true
    }

    func exchange(_ new: ServerConnection) { turn.change { $0.current = new } }

    func release(_ old: ServerConnection) { turn.change { if $0.current === old { $0.current = nil } } }

    func isCurrent(_ asked: ServerConnection) -> Bool { ifCurrent(asked) {} }

    /// Calls `body` if the connection plays, and returns whether it does; no other one replaces it meanwhile.
    func ifCurrent(_ asked: ServerConnection, _ body: () -> Void) -> Bool {
        turn.change { turn in
            guard turn.current === asked, !waker.isCancelled else { return false }
            body()
            return true
        }
    }

    /// Runs `body` if the connection `asked` plays or `asked` is nil, one call at a time.
    ///
    /// `body` may post messages and flush, so no mutex is locked while it runs.
    func handleEvent(of asked: ServerConnection?, _ body: () -> Void) {
        let isCurrent = turn.await { turn -> Monitor<Turn>.Step<Bool> in
            guard asked == nil || (turn.current === asked && !waker.isCancelled) else { return .done(false) }
            guard !turn.isBusy else { return .wait(0, until: nil) }
            turn.isBusy = true
            return .done(true)
        }
        guard isCurrent else { return }
        body()
        turn.change {
            $0.isBusy = false
            turn.mutex.wakeAll()
        }
    }

    /// Queues a chunk of the connection that plays, while no event handler runs.
    func chunkArrived(
        _ chunk: AudioChunk, _ format: AudioFormat, _ counters: SessionCounters, of connection: ServerConnection
    ) {
        guard let buffer = QueuedBuffer(copying: chunk.payload) else { return }
        let duration = chunk.duration(format)
        let admission = turn.await { turn -> Monitor<Turn>.Step<ChunkAdmission?> in
            guard turn.current === connection, !waker.isCancelled else { return .done(nil) }
            guard !turn.isBusy else { return .wait(0, until: nil) }
            return .done(
                report.queue.insert(
                    buffer, at: chunk.timestamp, duration: duration, bytes: chunk.payload.count, counters))
        }
        guard let admission, admission != .accepted else { return }
        SendspinSource.log.debug(host, "a chunk was not accepted: \(admission)")
    }

    /// Runs `body` on this network thread; within `body`, `stop` does not join the threads.
    ///
    /// The call holds a reference to the element, because a message or signal handler may stop and release it.
    func onNetworkThread(_ body: () -> Void) {
        let (element, thread) = (host.retained(), Worker.currentThread)
        threads.withLock { _ = $0.insert(thread) }
        withExtendedLifetime(element) { body() }
        threads.withLock { _ = $0.remove(thread) }
    }

    private func run(_ listener: ServerListener?) {
        if let listener { listener.run() } else { dial() }
        profile.saveNow()
    }

    // MARK: Bounds

    func takesStep(isAuthenticated: Bool = false) -> Bool {
        let now = MonotonicClock.now
        return budgets.withLock { isAuthenticated ? $0.authenticatedSteps.take(at: now) : $0.steps.take(at: now) }
    }

    /// Applies the state that a server has set; above the budget, `applyCommand` applies it later.
    func commanded() {
        budgets.withLock { $0.isCommandWaiting = true }
        applyCommand(at: MonotonicClock.now)
    }

    /// Applies a waiting state if the budget permits it, or always if `now` is nil.
    func applyCommand(at now: Duration?) {
        let applies = budgets.withLock { budgets in
            guard budgets.isCommandWaiting, now.map({ budgets.commands.take(at: $0) }) ?? true else { return false }
            budgets.isCommandWaiting = false
            return true
        }
        if applies { playerChanged() }
    }

    /// Time from which `applyCommand` applies a waiting state; nil if none waits.
    var commandDeadline: Duration? { budgets.withLock { $0.isCommandWaiting ? $0.commands.next : nil } }

    /// Posts a warning that a server has caused, within the budget.
    func warn(_ warning: ElementError, isAdmitted: Bool = true) {
        let now = MonotonicClock.now
        let isPermitted = budgets.withLock {
            isAdmitted ? $0.warnings.take(at: now) : $0.otherWarnings.take(at: now)
        }
        if isPermitted { host.post(warning: warning) }
    }

    // MARK: Connecting

    private func dial() {
        var history = DialHistory()
        var clock: SessionClock?
        while !waker.isCancelled {
            guard let address = settings.server ?? ServerSearch(self).first(avoiding: history.failed) else { break }
            let warning: ElementError?
            if settings.allowsUnencrypted {
                history.begin(address, mayBeUnencrypted: profile.mayBeUnencrypted(address))
            }
            do throws(WebSocketError) {
                let socket = try WebSocket.connect(to: address, limits: .sendspin(history.dialect), waker: waker)
                let outcome = play(ServerConnection(self, socket, address: address), history.dialect, clock)
                clock = outcome.clock ?? clock
                warning = history.note(outcome, address)
            } catch { warning = history.note(error, address) }
            if waker.isCancelled { break }
            if let warning { host.post(warning: warning) }
            report.count { $0.connectionAttempts += 1 }
            if !takesStep() { history.pause = .longest }
            let pause = history.pause.next()
            report.setNextAttempt(at: MonotonicClock.now + pause)
            defer { report.setNextAttempt(at: nil) }
            if !pauses.sleep(for: pause) { break }
        }
    }

    private func play(_ new: ServerConnection, _ dialect: Dialect, _ clock: SessionClock?) -> ServerConnection.Outcome {
        exchange(new)
        // No identity is required at a discovered address, which may belong to another server next time.
        let expected = settings.server.flatMap { profile.expectedServer(at: $0) }
        let outcome = new.run(dialect, clock: clock, expected: expected)
        release(new)
        serverLost(outcome.failure, of: new)
        return outcome
    }
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
