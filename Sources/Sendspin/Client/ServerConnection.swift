import Durations
import GStreamer
import SendspinSecurity
import SendspinProtocol
import Threads
import WebSocket

/// A connection with a server; performs the actions of its session on the thread that calls `run`.
final class ServerConnection: Sendable {
    /// A command from another thread.
    enum Order: Sendable {
        /// Calls the session, with the present time.
        case perform(@Sendable (inout Session, Duration) -> [SessionAction])
        case admit
        case dismiss(Dismissal)
    }

    struct Outcome: Sendable {
        /// Whether the server was identified.
        var wasConnected = false
        /// Whether the server gave this client a role, or is paired with it.
        var hadRole = false
        /// Whether this client ended the connection, to begin another one with other roles.
        var isRestart = false
        /// Whether the connection lasted at least `longTime`, so that its end does not repeat an earlier failure.
        var wasLong = false
        var failure: SessionFailure?
        var clock: SessionClock?
    }

    private static let longTime = Duration.seconds(10)
    /// Interval of reads while chunks arrive more than `readLead` before they are due; commands of the server wait as long.
    ///
    /// Chunks of FLAC last about 100 ms: at 100 ms each is read alone, and a player requires 0.42 of the processor time of
    /// `sendspin daemon`, at 200 ms 0.32 (`Tests/hosts/sendspin/cpu --no-sink`).
    private static let readInterval = Duration.milliseconds(200)
    /// More than the latency of pipelines.
    private static let readLead = Duration.seconds(3)

    private let socket: WebSocket
    let link: any ServerLink
    /// The source whose role the connection has beside those of its player; nil without one.
    let guest: (any ServerLink)?
    private let orders = Mutex<[Order]>([])
    /// Address that this client dialed; nil for a connection that the server initiated.
    let address: WebSocketAddress?
    private let isServerInitiated: Bool
    /// Called at each activation of a server-initiated connection, and when a pairing attempt of an admitted one begins or
    /// ends; the first activation waits for `admit` or `dismiss`.
    private let arbitrate: (@Sendable (ServerConnection, Arbiter.Candidate) -> Void)?

    init(
        _ link: any ServerLink, _ socket: WebSocket, address: WebSocketAddress? = nil,
        arbitrate: (@Sendable (ServerConnection, Arbiter.Candidate) -> Void)? = nil
    ) {
        self.link = link
        guest = link.core.isPlayer ? link.core.partner : nil
        self.socket = socket
        self.address = address
        self.arbitrate = arbitrate
        isServerInitiated = arbitrate != nil
    }

    /// Queues an order for the thread of the connection; any thread may call it.
    func give(_ order: Order) {
        orders.withLock { $0.append(order) }
        wake()
    }

    /// Makes the thread of the connection do the work of the link; any thread may call it, and it allocates nothing.
    func wake() { socket.waker.wake() }

    private func takeOrders() -> [Order] {
        orders.withLock { orders in
            defer { orders = [] }
            return orders
        }
    }

    /// Runs the session until the connection ends or the waker is cancelled.
    ///
    /// `expected` is the required identity of the server; nil permits any.
    func run(_ dialect: Dialect, clock: SessionClock?, expected: String? = nil) -> Outcome {
        let core = link.core
        var configuration = link.configuration
        configuration.dialect = dialect
        configuration.isServerInitiated = isServerInitiated
        configuration.expectedServerID = expected
        configuration.codeFormats = core.codeFormats
        let credentials = core.profile.credentials()
        let wasFound = address != nil && core.address == nil
        configuration.endsWithoutRole = wasFound && core.profile.leavesStrangers
        configuration.allowsUnpairedAccess = core.profile.allowsUnpairedAccess
        guest?.join(&configuration, of: core)
        var session = link.makeSession(configuration, credentials, clock)
        let start = MonotonicClock.now
        var run = Run(connection: self)
        run.carryOut(session.start(at: MonotonicClock.now), &session)
        while !run.isOver { run.step(&session) }
        run.outcome.clock = session.clock
        run.outcome.wasLong = MonotonicClock.now - start >= Self.longTime
        return run.outcome
    }

    private struct Run {
        let connection: ServerConnection
        var outcome = Outcome()
        var isOver = false
        /// Whether the server has exceeded its budget of changes.
        private var isExcessive = false
        private var isAdmitted: Bool
        /// Whether the server has been paired on this connection.
        private var hasPaired = false
        /// Whether a pairing attempt was in progress when the arbiter was last called.
        private var isPairing = false
        /// Revision of the pairings for which the session was checked; nil after anything but a chunk.
        private var checkedRevision: Int?
        /// Time of the next work of the session or the link.
        private var deadline: Duration? = .zero
        /// Identity and activation events of a server that wait for `showServer`.
        private var early: [SessionEvent] = []

        private var socket: WebSocket { connection.socket }
        private var link: any ServerLink { connection.link }
        private var core: LinkCore { connection.link.core }

        init(connection: ServerConnection) {
            self.connection = connection
            isAdmitted = !connection.isServerInitiated
        }

        mutating func step(_ session: inout Session) {
            var event = socket.wait(until: deadline)
            socket.readTime = .zero
            let revision = core.profile.changes.load(ordering: .acquiring)
            if revision != checkedRevision {
                let paired = session.server.flatMap { $0.isPaired ? $0.id : nil }
                let access = core.profile.access(of: paired)
                // The application may have removed the pairing; an activation must then not displace another server.
                if paired != nil, !access.isPaired {
                    carryOut(session.close(.unpaired), &session)
                    return note(session)
                }
                // Another connection may have paired the player in the meantime, which can end unpaired access.
                session.setUnpairedAccess(access.isOpen)
            }
            checkedRevision = revision
            switch event {
            case .message(_, let arrival):
                session.setUsedCodeRounds(core.usedCodeRounds)
                let actions = session.receive(event.takeMessage(), at: arrival)
                // A chunk requires no other work, and most messages are chunks.
                if let chunk = actions.onlyChunk, deadline.map({ arrival < $0 }) ?? true {
                    if session.mayWait(behind: chunk, at: arrival, lead: ServerConnection.readLead) {
                        socket.readTime = arrival + ServerConnection.readInterval
                    }
                    return queue(chunk, session)
                }
                carryOut(actions, &session)
            case .timeout: break
            case .woken: obey(&session)
            case .cancelled:
                if core.waker.isCancelled {
                    carryOut(session.close(.shutdown), &session)
                } else {
                    dismissAtOnce(&session)
                }
                isOver = true
            case .closed(let closure):
                carryOut(session.connectionLost(violation: closure.violation), &session)
                isOver = true
            }
            checkedRevision = nil
            if isExcessive, !isOver {
                let violation = "it connected, or started, changed and ended streams, too often"
                carryOut(session.connectionLost(violation: violation), &session)
            }
            if !isOver, core.isGuest { carryOut(session.close(.shutdown), &session) }
            if !isOver, isOutdated(session) {
                outcome.isRestart = true
                // A server keeps the group and the stream of a client that restarts.
                carryOut(session.close(.restart), &session)
            }
            note(session)
            guard !isOver else { return }
            carryOut(session.advance(to: MonotonicClock.now), &session)
            carryOut(link.work(&session, of: connection, unsentBytes: socket.unsentBytes), &session)
            if let guest = connection.guest {
                var actions: [SessionAction] = []
                guest.onNetworkThread {
                    actions = guest.work(&session, of: connection, unsentBytes: socket.unsentBytes)
                }
                carryOut(actions, &session)
            }
            reportPairing(session)
            deadline = [
                session.deadline, link.workDeadline(of: connection), connection.guest?.workDeadline(of: connection),
            ].compactMap { $0 }.min()
        }

        /// Calls the arbiter when a pairing attempt begins or ends, which can happen between two activations.
        private mutating func reportPairing(_ session: borrowing Session) {
            guard isAdmitted, let candidate = session.candidate, candidate.isPairingInProgress != isPairing else {
                return
            }
            isPairing.toggle()
            connection.arbitrate?(connection, candidate)
        }

        private func note(_ session: borrowing Session) {
            if link.isCurrent(connection) { link.note(session.counters) }
            if let guest = connection.guest, guest.isCurrent(connection) { guest.note(session.counters) }
        }

        /// Whether the roles of the client have changed, which requires a new hello, and so a new connection.
        private func isOutdated(_ session: borrowing Session) -> Bool {
            guard core.isPlayer, !core.waker.isCancelled, link.isCurrent(connection),
                let candidate = session.candidate, !candidate.isPairingInProgress, let server = session.server
            else { return false }
            let isOther = connection.guest !== core.partner
            if session.configuration.roles.contains(.source) { return isOther }
            // A server that may not have the source does not notice it.
            guard let source = core.partner, server.isEncrypted else { return false }
            if server.isPaired { return isOther || hasPaired }
            var configuration = session.configuration
            source.join(&configuration, of: core)
            return isOther && configuration.pairedRoles.isEmpty
        }

        private func queue(_ chunk: AudioChunk, _ session: borrowing Session) {
            guard let format = session.stream?.format else { return }
            link.chunkArrived(chunk, format, session.counters, of: connection)
        }

        private mutating func obey(_ session: inout Session) {
            let now = MonotonicClock.now
            for order in connection.takeOrders() {
                switch order {
                case .perform(let call): carryOut(call(&session, now), &session)
                case .admit:
                    isAdmitted = true
                    showServer(session)
                    carryOut(session.admit(at: now), &session)
                case .dismiss(let dismissal): carryOut(session.dismiss(dismissal), &session)
                }
            }
        }

        /// Sends the last message without waiting for the peer, so that the place of the connection becomes free.
        private func dismissAtOnce(_ session: inout Session) {
            let isRejected = connection.takeOrders().contains {
                if case .dismiss(.rejected) = $0 { true } else { false }
            }
            for action in session.dismiss(isRejected ? .rejected : .displaced) {
                switch action {
                case .send(let message): socket.send(message.forSocket)
                // The application must not show a code of a connection that has ended.
                case .event(.pairingCode(let code, let server)):
                    link.handle(.pairingCode(code, of: server), of: connection)
                case .close, .event: break
                }
            }
        }

        mutating func carryOut(_ actions: [SessionAction], _ session: inout Session) {
            for action in actions {
                switch action {
                case .send(let message): socket.send(message.forSocket)
                case .close(let code):
                    _ = socket.flush(until: MonotonicClock.now + .seconds(1))
                    socket.close(CloseCode(rawValue: code))
                    isOver = true
                case .event(.chunk(let chunk)): queue(chunk, session)
                case .event(let event): handle(event, session)
                }
            }
        }

        private mutating func handle(_ event: SessionEvent, _ session: Session) {
            // Whether the event identifies the server or its activities, so that `showServer` handles it.
            var isOfServer = false
            switch event {
            case .connected:
                isOfServer = true
                outcome.wasConnected = true
            case .paired: hasPaired = true
            case .activated(_, let roles):
                isOfServer = true
                if !roles.isEmpty || session.server?.isPaired == true { outcome.hadRole = true }
                if let arbitrate = connection.arbitrate, let candidate = session.candidate {
                    arbitrate(connection, candidate)
                }
            case .failed(let failure): outcome.failure = failure
            default: break
            }
            if isOfServer {
                // Only the last activation is kept.
                if early.count > 1 { early.removeLast() }
                early.append(event)
                showServer(session)
            } else {
                deliver(event, session)
            }
            let isAuthenticated = session.server?.isPaired ?? false
            if isAdmitted, event.isStep, !link.takesStep(isAuthenticated: isAuthenticated) { isExcessive = true }
        }

        /// Handles the early events of an admitted server, unless this server may not play without pairing.
        private mutating func showServer(_ session: borrowing Session) {
            let isStranger =
                connection.isServerInitiated && !session.configuration.allowsUnpairedAccess
                && session.server?.keyCategory == .sentinel
            guard isAdmitted, !isStranger else { return }
            for event in early { deliver(event, session) }
            early = []
        }

        private func deliver(_ event: SessionEvent, _ session: borrowing Session) {
            link.handle(event, of: connection)
            // The roles of an activation before a restart are not those that the server will give.
            if event.concernsGuest, let guest = connection.guest, !isOutdated(session) {
                guest.onNetworkThread { guest.handle(event, of: connection) }
            }
        }
    }
}

extension SessionEvent {
    /// Whether the event is a change that `takesStep` limits.
    fileprivate var isStep: Bool {
        switch self {
        case .activated, .streamStarted, .streamChanged, .streamCleared, .streamEnded, .paired, .pairingAborted,
            .pairingCode, .unpaired, .recordUsed, .credentialMissing, .sourceStarted, .sourceEnded, .sourceRefused:
            true
        default: false
        }
    }

    /// Whether the event concerns the source that shares the connection of a player.
    fileprivate var concernsGuest: Bool {
        switch self {
        case .connected, .activated, .clock, .clockStepped, .sourceStarted, .sourceEnded, .sourceRefused: true
        default: false
        }
    }
}

extension [SessionAction] {
    fileprivate var onlyChunk: AudioChunk? {
        guard count == 1, case .event(.chunk(let chunk)) = self[0] else { return nil }
        return chunk
    }
}

extension WebSocketLimits {
    /// Limits encrypted messages to the length of a Noise message; a longer limit would let any peer occupy memory.
    static func sendspin(_ dialect: Dialect) -> Self {
        var limits = Self()
        if dialect == .encrypted { limits.messageBytes = Transport.maximumMessageLength }
        return limits
    }
}

extension WebSocketEvent {
    /// Moves the message out, so that its bytes have one owner and are decrypted in place.
    fileprivate mutating func takeMessage() -> SocketMessage {
        defer { self = .timeout }
        return switch self {
        case .message(.text(let bytes), _): .text(bytes)
        case .message(.binary(let bytes), _): .binary(bytes)
        default: .binary([])
        }
    }
}

extension SocketMessage {
    fileprivate var forSocket: WebSocketMessage {
        switch self {
        case .text(let bytes): .text(bytes)
        case .binary(let bytes): .binary(bytes)
        }
    }
}
