import Durations
import GStreamer
import SendspinProtocol
import SendspinSecurity
import Threads
import WebSocket

/// The network side of an element: connects to a server, or accepts servers, on its own threads.
///
/// It posts problems as warnings and retries, so that the element continues when the server is back. The requirements
/// are what an element does itself; they are called on the thread of a connection.
protocol ServerLink: AnyObject, Sendable {
    /// State that the threads share.
    var core: LinkCore { get }
    /// Configuration of the sessions.
    var configuration: SessionConfiguration { get }

    /// Creates the session of a connection.
    func makeSession(_ configuration: SessionConfiguration, _ credentials: Credentials, _ clock: SessionClock?)
        -> Session

    /// Handles an event of the connection that is served, one call at a time, except events of pairings and servers.
    func handleCurrent(_ event: SessionEvent, of connection: ServerConnection)

    /// Notes the server of the connection that is served, before the application is informed.
    func serverConnected(_ change: ServerChange)

    /// Notes the end of the connection that was served, before the application is informed.
    func connectionEnded()

    /// Handles audio of a server.
    func chunkArrived(
        _ chunk: AudioChunk, _ format: AudioFormat, _ counters: SessionCounters, of connection: ServerConnection)

    /// Stores the counters of the session that is served.
    func note(_ counters: SessionCounters)

    /// Does the work that is due, after each message, order and deadline; returns the actions of the session.
    ///
    /// `unsentBytes` is what the socket has not sent yet.
    func work(_ session: inout Session, of connection: ServerConnection, unsentBytes: Int) -> [SessionAction]

    /// Time at which `work` must be called; nil if nothing waits.
    func workDeadline(of connection: ServerConnection) -> Duration?

    /// Stores the state of the element, at the end of the threads and of the link.
    func saveState()

    /// Adds the role of this source to a connection of `player`, with which it shares the connection.
    func join(_ configuration: inout SessionConfiguration, of player: LinkCore)

    /// Notes that this source shares the connections of `player` from now on.
    func becameGuest(of player: LinkCore)
}

extension ServerLink {
    func join(_ configuration: inout SessionConfiguration, of player: LinkCore) {}

    func becameGuest(of player: LinkCore) {}

    func start() throws(ElementError) {
        SharedLinks.add(self)
        do throws(ElementError) {
            // If the address is in use, the state change must fail.
            let listener = try makeListener()
            guard let started = Worker.start("sendspin", { [self] in onNetworkThread { run(listener) } }) else {
                throw .resource(.failed, "The system has no thread for \(core.host.name).")
            }
            core.worker.withLock { $0 = started }
        } catch {
            SharedLinks.remove(self)
            throw error
        }
    }

    private func makeListener() throws(ElementError) -> ServerListener? {
        guard let address = core.listenAddress, !core.isGuest else { return nil }
        do throws(ElementError) { return try ServerListener(self, address) } catch {
            // The source of the folder may listen at this address until its thread finds its player.
            guard core.partner?.core.listenAddress == address else { throw error }
            core.pauses.sleep(for: .seconds(2))
            return try ServerListener(self, address)
        }
    }

    /// Sends goodbye, closes the connections and joins the threads.
    ///
    /// If a message or signal handler calls this method on one of these threads, or on one of the partner's, the threads end
    /// later.
    func stop() {
        core.waker.cancel()
        let partner = core.partner
        // After `cancel`, so that the connection of a player ends instead of being renewed without the source.
        SharedLinks.remove(self)
        core.pauses.end()
        let isHandler = [core, partner?.core].contains { core in
            core?.threads.withLock { $0.contains(Worker.currentThread) } ?? false
        }
        if !isHandler { core.worker.withLock { $0 }?.join() }
        // The folder is released here, because the element may start again before these threads end.
        saveState()
        core.profile.close()
    }

    /// Removes a pairing, and ends the connection with this server; false if nothing was removed.
    func removePairing(_ serverID: String) -> Bool {
        core.profile.postFaultsAgain()
        guard core.profile.removeRecord(of: serverID) else { return false }
        // The thread of the connection finds that the pairing is gone.
        core.turn.change { $0.current }?.wake()
        return true
    }

    /// Accepts another server at the address of `uri`, or any if the ID is empty; false without `uri` or after a fault.
    func acceptServer(_ serverID: String) -> Bool {
        let identity = PublicKey(id: serverID)
        core.profile.postFaultsAgain()
        guard let address = core.address, identity != nil || serverID.isEmpty,
            core.profile.remember(identity, at: address)
        else { return false }
        core.pauses.wake()
        return true
    }

    /// Gives an order to the connection that is served; false if there is none.
    @discardableResult
    func give(_ order: ServerConnection.Order) -> Bool {
        guard let connection = core.turn.change({ $0.current }) else { return false }
        connection.give(order)
        return true
    }

    func exchange(_ new: ServerConnection) {
        // A connection that a source had begun before must not displace that of its player.
        core.turn.change { if !core.isGuest { $0.current = new } }
        guard let guest = new.guest else { return }
        guest.core.turn.change { if guest.core.partner === self { $0.current = new } }
    }

    func release(_ old: ServerConnection) {
        for core in [core, old.guest?.core].compactMap({ $0 }) {
            core.turn.change { if $0.current === old { $0.current = nil } }
        }
    }

    func isCurrent(_ asked: ServerConnection) -> Bool { ifCurrent(asked) {} }

    /// Calls `body` if the connection is served, and prevents a change during the call; returns whether it is served.
    func ifCurrent(_ asked: ServerConnection, _ body: () -> Void) -> Bool {
        core.turn.change { turn in
            guard turn.current === asked, !core.waker.isCancelled else { return false }
            body()
            return true
        }
    }

    /// Runs `body`, one call at a time, if the connection is served; if `asked` is nil, in any case.
    ///
    /// `body` may post messages and flush, so no mutex is locked while it runs.
    func handleEvent(of asked: ServerConnection?, _ body: () -> Void) {
        let isCurrent = core.turn.await { turn -> Monitor<LinkCore.Turn>.Step<Bool> in
            guard asked == nil || (turn.current === asked && !core.waker.isCancelled) else { return .done(false) }
            guard !turn.isBusy else { return .wait(0, until: nil) }
            turn.isBusy = true
            return .done(true)
        }
        guard isCurrent else { return }
        body()
        core.turn.change {
            $0.isBusy = false
            core.turn.mutex.wakeAll()
        }
    }

    /// Runs `body` on this network thread; within `body`, `stop` does not join the threads.
    ///
    /// The call holds a reference to the element, because a message or signal handler may stop and release it.
    func onNetworkThread(_ body: () -> Void) {
        let (element, thread) = (core.host.retained(), Worker.currentThread)
        core.threads.withLock { _ = $0.insert(thread) }
        withExtendedLifetime(element) { body() }
        core.threads.withLock { _ = $0.remove(thread) }
    }

    private func run(_ listener: ServerListener?) {
        listener?.run()
        while awaitTurn() {
            if let address = core.listenAddress { listen(at: address) } else { dial() }
        }
        saveState()
    }

    private func listen(at address: WebSocketAddress) {
        do throws(ElementError) { try ServerListener(self, address).run() } catch {
            core.host.post(warning: error)
            core.pauses.sleep(for: .seconds(30))
        }
    }

    func takesStep(isAuthenticated: Bool = false) -> Bool { core.takesStep(isAuthenticated: isAuthenticated) }

    /// Posts a warning that a server has caused, within the budget.
    func warn(_ warning: ElementError, isAdmitted: Bool = true) { core.warn(warning, isAdmitted: isAdmitted) }

    // MARK: Connecting

    private func dial() {
        var history = DialHistory()
        var clock: SessionClock?
        var again: WebSocketAddress?
        while !core.mustEnd {
            guard let address = core.address ?? again.take() ?? ServerSearch(core).first(avoiding: history.failed)
            else { break }
            let warning: ElementError?
            if core.allowsUnencrypted {
                history.begin(address, mayBeUnencrypted: core.profile.mayBeUnencrypted(address))
            }
            do throws(WebSocketError) {
                let socket = try WebSocket.connect(to: address, limits: .sendspin(history.dialect), waker: core.waker)
                // A source whose player has started meanwhile does not show the server its own identity.
                if core.mustEnd { break }
                let outcome = play(ServerConnection(self, socket, address: address), history.dialect, clock)
                clock = outcome.clock ?? clock
                warning = history.note(outcome, address)
                if outcome.isRestart, takesStep(isAuthenticated: true) {
                    again = address
                    continue
                }
            } catch { warning = history.note(error, address) }
            if core.mustEnd { break }
            if let warning { core.host.post(warning: warning) }
            core.report.countAttempt()
            if !takesStep() { history.pause = .longest }
            let pause = history.pause.next()
            core.report.setNextAttempt(at: MonotonicClock.now + pause)
            defer { core.report.setNextAttempt(at: nil) }
            if !core.pauses.sleep(for: pause) { break }
        }
    }

    private func play(_ new: ServerConnection, _ dialect: Dialect, _ clock: SessionClock?) -> ServerConnection.Outcome {
        exchange(new)
        // No identity is required at a discovered address, which may belong to another server next time.
        let expected = core.address.flatMap { core.profile.expectedServer(at: $0) }
        let outcome = new.run(dialect, clock: clock, expected: expected)
        release(new)
        serverLost(outcome.failure, of: new)
        return outcome
    }
}
