import Durations
import GStreamer
import SendspinSession
import SendspinWire
import Synchronization
import Threads
import WebSocketConnection
import WebSocketFraming

/// One connection with a server: carries out the actions of its session, on the thread that calls `run`.
final class ServerConnection: Sendable {
    /// An order of another thread.
    enum Order: Sendable {
        case control(ControllerCommand)
        case leaveGroup
        case updatePlayer
        case admit
        case dismiss(Dismissal)
    }

    /// Outcome of a connection.
    struct Outcome: Sendable {
        /// Whether the server was known at the end: the next attempt follows without a long pause.
        var wasConnected = false
        var failure: SessionFailure?
        var clock: SessionClock?
    }

    private let socket: WebSocket
    private let receiver: SourceReceiver
    private let orders = Mutex<[Order]>([])
    private let isServerInitiated: Bool
    /// Called at the first activation of a server-initiated connection, which waits for `admit` or `dismiss`.
    private let arbitrate: (@Sendable (ServerConnection, Arbiter.Candidate) -> Void)?

    init(
        _ receiver: SourceReceiver, _ socket: WebSocket,
        arbitrate: (@Sendable (ServerConnection, Arbiter.Candidate) -> Void)? = nil
    ) {
        self.receiver = receiver
        self.socket = socket
        self.arbitrate = arbitrate
        isServerInitiated = arbitrate != nil
    }

    /// Gives an order to the thread of the connection; any thread may call it.
    func give(_ order: Order) {
        orders.withLock { $0.append(order) }
        socket.waker.wake()
    }

    /// Runs the session until the connection ends or the waker is cancelled.
    func run(_ dialect: Dialect, clock: SessionClock?) -> Outcome {
        var configuration = receiver.profile.configuration
        configuration.dialect = dialect
        configuration.isServerInitiated = isServerInitiated
        var session = Session(
            configuration, receiver.profile.credentials(), receiver.profile.player, clock: clock)
        var run = Run(connection: self)
        run.carryOut(session.start(at: MonotonicClock.now), &session)
        while !run.isOver { run.step(&session) }
        run.outcome.clock = session.clock
        return run.outcome
    }

    /// State of the thread.
    private struct Run {
        let connection: ServerConnection
        var outcome = Outcome()
        /// Server of a connection that is not admitted yet.
        private var candidate: SessionEvent?
        var isOver = false

        private var socket: WebSocket { connection.socket }
        private var receiver: SourceReceiver { connection.receiver }

        init(connection: ServerConnection) { self.connection = connection }

        mutating func step(_ session: inout Session) {
            switch socket.wait(until: session.deadline) {
            case .message(let message, let arrival):
                carryOut(session.receive(message.forSession, at: arrival), &session)
            case .timeout: break
            case .woken: obey(&session)
            case .cancelled:
                carryOut(session.close(.shutdown), &session)
                isOver = true
            case .closed:
                carryOut(session.connectionLost(), &session)
                isOver = true
            }
            guard !isOver else { return }
            carryOut(session.advance(to: MonotonicClock.now), &session)
            receiver.report.note(session.counters)
        }

        private mutating func obey(_ session: inout Session) {
            let now = MonotonicClock.now
            for order in connection.orders.withLock({ orders in
                defer { orders = [] }; return orders
            }) {
                switch order {
                case .control(let command): carryOut(session.send(command) ?? [], &session)
                case .leaveGroup: carryOut(session.leaveGroup(), &session)
                case .updatePlayer: carryOut(session.update(receiver.profile.player, at: now), &session)
                case .admit:
                    if let candidate { receiver.handle(candidate, of: connection) }
                    candidate = nil
                    carryOut(session.admit(at: now), &session)
                case .dismiss(let dismissal): carryOut(session.dismiss(dismissal), &session)
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
                case .event(let event): handle(event, session)
                }
            }
        }

        private mutating func handle(_ event: SessionEvent, _ session: Session) {
            switch event {
            case .connected:
                outcome.wasConnected = true
                // A server that is rejected is not that of the player.
                if connection.isServerInitiated { return candidate = event }
            case .failed(let failure): outcome.failure = failure
            case .activated:
                if let arbitrate = connection.arbitrate, let candidate = session.candidate {
                    arbitrate(connection, candidate)
                }
            default: break
            }
            receiver.handle(event, of: connection)
        }
    }
}

extension WebSocketMessage {
    fileprivate var forSession: SocketMessage {
        switch self {
        case .text(let bytes): .text(bytes)
        case .binary(let bytes): .binary(bytes)
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
