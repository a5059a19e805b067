import GStreamer
import SendspinSession
import ServiceDiscovery
import Synchronization
import Threads
import WebSocketConnection

/// Waits for connections of servers, and decides which of them plays.
///
/// Each connection has a thread. The thread that calls `run` accepts connections and joins the others at the end.
final class ServerListener: Sendable {
    /// DNS-SD type of players that servers connect to.
    static let type = "_sendspin._tcp"
    /// Connections at a time: the one that plays, and those that are being decided about.
    private static let mostConnections = 4

    private struct State {
        var current: (connection: ServerConnection, candidate: Arbiter.Candidate)?
        var arbiter: Arbiter
        var workers: [(waker: Waker, worker: Worker)] = []
        var open = 0
    }

    private let receiver: SourceReceiver
    private let listener: WebSocketListener
    private let state: Mutex<State>

    /// Listens at the address; connections are accepted by `run`.
    init(_ receiver: SourceReceiver, _ address: WebSocketAddress) throws(ElementError) {
        self.receiver = receiver
        do throws(WebSocketError) { listener = try WebSocketListener(at: address, waker: receiver.waker) } catch {
            throw .resource(.openRead, "\(error)")
        }
        state = Mutex(State(arbiter: Arbiter(lastPlaybackServer: receiver.profile.lastPlaybackServer)))
    }

    /// Accepts connections until the receiver is stopped.
    func run() {
        receiver.report.listenAddress = listener.address.description
        let publisher = publish(listener.address)
        accept()
        publisher.stop()
        listener.close()
        for (waker, worker) in state.withLock({ $0.workers }) {
            waker.cancel()
            worker.join()
        }
    }

    private func accept() {
        while true {
            switch listener.accept(until: nil) {
            case .connection(let socket):
                let isFull = state.withLock { $0.open >= Self.mostConnections }
                if isFull { socket.close(.goingAway) } else { serve(socket) }
            case .timeout, .woken: continue
            case .cancelled: return
            }
        }
    }

    private func publish(_ address: WebSocketAddress) -> ServicePublisher {
        let name = receiver.profile.configuration.name
        return ServicePublisher(
            name: name, type: Self.type, port: address.port, text: ["path": address.path, "name": name]
        ) { [receiver] event in
            if case .failed(let error) = event { receiver.host.post(warning: .resource(.failed, "\(error)")) }
        }
    }

    // MARK: Connections

    private func serve(_ socket: WebSocket) {
        let connection = ServerConnection(receiver, socket) { [weak self] in self?.judge($0, $1) }
        state.withLock { $0.open += 1 }
        let worker = Worker.start("sendspin-server") { [self] in
            let outcome = connection.run(.encrypted, clock: nil)
            ended(connection, outcome)
            state.withLock { $0.workers.removeAll { $0.waker === socket.waker } }
        }
        guard let worker else { return state.withLock { $0.open -= 1 } }
        state.withLock { $0.workers.append((socket.waker, worker)) }
    }

    /// Decides at the activation of a connection, on its thread.
    private func judge(_ connection: ServerConnection, _ candidate: Arbiter.Candidate) {
        let (verdict, displaced, isNew) = state.withLock { state in
            if state.current?.connection === connection {
                state.current?.candidate = candidate
                return (Arbiter.Verdict.admit, ServerConnection?.none, state.arbiter.note(candidate))
            }
            let verdict = state.arbiter.judge(candidate, against: state.current?.candidate)
            guard verdict == .admit else { return (verdict, nil, false) }
            let displaced = state.current?.connection
            state.current = (connection, candidate)
            return (verdict, displaced, state.arbiter.note(candidate))
        }
        if isNew { receiver.profile.setLastPlaybackServer(candidate.serverID) }
        displaced?.give(.dismiss(.displaced))
        connection.give(verdict == .admit ? .admit : .dismiss(.rejected))
        if verdict == .admit { receiver.exchange(connection) }
    }

    private func ended(_ connection: ServerConnection, _ outcome: ServerConnection.Outcome) {
        let wasCurrent = state.withLock { state in
            state.open -= 1
            guard state.current?.connection === connection else { return false }
            state.current = nil
            return true
        }
        guard wasCurrent else { return }
        receiver.exchange(nil)
        receiver.serverLost(outcome.failure)
    }
}
