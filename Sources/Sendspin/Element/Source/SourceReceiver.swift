import Durations
import GStreamer
import SendspinSession
import SendspinWire
import Synchronization
import Threads
import WebSocketConnection

/// The network side of `sendspinsrc`: connects to a server, or waits for servers, on threads of its own.
///
/// It posts problems as warnings and tries again, so the stream continues when the server is back.
final class SourceReceiver: Sendable {
    let host: ElementHost
    let report: SendspinSourceReport
    let profile: PlayerProfile
    let waker: Waker
    /// Whether downstream is flushed when the server clears or ends the stream.
    var flushes: Bool { settings.flushes }
    private let settings: SendspinSourceSettings
    private let pauses = Alarm()
    private let worker = Mutex<Worker?>(nil)
    /// The connection that plays.
    private let connection = Mutex<ServerConnection?>(nil)
    /// The property `output-delay`, as it was last applied.
    private let appliedDelay: Mutex<Duration>

    init(
        _ host: ElementHost, _ settings: SendspinSourceSettings, _ codecs: [AudioCodec], _ report: SendspinSourceReport
    ) throws(ElementError) {
        self.host = host
        self.report = report
        self.settings = settings
        appliedDelay = Mutex(settings.outputDelay)
        do throws(WebSocketError) { waker = try Waker() } catch { throw .resource(.failed, "\(error)") }
        profile = try PlayerProfile(settings, codecs, host)
        if let volume = report.takeWantedVolume() { profile.change { volume.apply(to: &$0) } }
        let player = profile.player
        report.playerChanged(player)
        report.queue.change { queue in
            queue.begin(capacity: Int(settings.bufferCapacity))
            queue.outputDelay = player.outputDelay
        }
    }

    /// Starts the network thread.
    func start() throws(ElementError) {
        // An address in use is an error of the state change.
        let listener: ServerListener?
        if let address = settings.listenAddress { listener = try ServerListener(self, address) } else { listener = nil }
        guard let started = Worker.start("sendspin", { [self] in run(listener) }) else {
            throw .resource(.failed, "The system has no thread for sendspinsrc.")
        }
        worker.withLock { $0 = started }
    }

    /// Says goodbye, closes the connections and waits for the threads.
    func stop() {
        waker.cancel()
        pauses.end()
        worker.withLock { $0 }?.join()
    }

    /// Applies a new output delay; a change of another property keeps the delay that the server has set.
    func settingsChanged(_ settings: SendspinSourceSettings) {
        let isNew = appliedDelay.withLock { applied in
            defer { applied = settings.outputDelay }
            return applied != settings.outputDelay
        }
        if isNew { changePlayer { $0.outputDelay = settings.outputDelay } }
    }

    /// Changes the state of the player, and reports it to the server.
    func changePlayer(_ body: (inout PlayerState) -> Void) {
        guard profile.change(body) else { return }
        playerChanged()
        give(.updatePlayer)
    }

    /// Gives an order to the connection that plays; false if there is none.
    @discardableResult
    func give(_ order: ServerConnection.Order) -> Bool {
        guard let connection = connection.withLock({ $0 }) else { return false }
        connection.give(order)
        return true
    }

    /// Makes a connection the one that plays, and returns the one before.
    @discardableResult
    func exchange(_ new: ServerConnection?) -> ServerConnection? {
        connection.withLock { current in
            defer { current = new }
            return current
        }
    }

    private func run(_ listener: ServerListener?) {
        if let listener { listener.run() } else { dial() }
    }

    // MARK: Connecting

    /// Connects again and again; the pause doubles up to half a minute.
    private func dial() {
        var pause = BackOff()
        var clock: SessionClock?
        var dialect = Dialect.encrypted
        while !waker.isCancelled {
            guard let address = settings.server ?? ServerSearch(self).first() else { break }
            do throws(WebSocketError) {
                let socket = try WebSocket.connect(to: address, waker: waker)
                let outcome = play(ServerConnection(self, socket), dialect, clock)
                clock = outcome.clock ?? clock
                if outcome.wasConnected { pause = BackOff() }
                if settings.allowsUnencrypted, !outcome.wasConnected, outcome.failure?.kind.isOfHandshake == true {
                    // A server of 2025 does not know the first message of the encrypted dialect.
                    dialect = dialect == .encrypted ? .legacy : .encrypted
                } else if let failure = outcome.failure, !waker.isCancelled {
                    report(failure, address, &pause)
                }
            } catch {
                if waker.isCancelled { break }
                if pause.isFirst { host.post(warning: .resource(.openRead, "\(error)")) }
            }
            report.count { $0.connectionAttempts += 1 }
            if !pauses.sleep(for: pause.next()) { break }
        }
    }

    private func play(_ new: ServerConnection, _ dialect: Dialect, _ clock: SessionClock?) -> ServerConnection.Outcome {
        exchange(new)
        let outcome = new.run(dialect, clock: clock)
        exchange(nil)
        serverLost(outcome.failure)
        return outcome
    }

    private func report(_ failure: SessionFailure, _ address: WebSocketAddress, _ pause: inout BackOff) {
        if failure.isTransient {
            if pause.isFirst { host.post(warning: .resource(.read, "\(address): \(failure.text)")) }
        } else {
            host.post(warning: .resource(.notAuthorized, "\(address): \(failure.text)"))
            pause = .longest
        }
    }
}

extension SessionFailure.Kind {
    /// Whether the server did not understand the handshake.
    fileprivate var isOfHandshake: Bool { self == .closedInHandshake || self == .refused || self == .timeout }
}
