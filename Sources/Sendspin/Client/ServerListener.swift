import GStreamer
import SendspinProtocol
import ServiceDiscovery
import Sockets
import Threads
import WebSocket

/// Accepts connections of servers, and decides which server plays.
///
/// Each connection has a thread. The thread that calls `run` accepts connections, and joins the other threads at the
/// end.
final class ServerListener: Sendable {
    /// DNS-SD type of players to which servers connect.
    static let type = "_sendspin._tcp"
    /// Largest number of connections: the one that plays, and those that wait for a decision.
    private static let mostConnections = 4
    /// Largest number of threads, including those of connections that end.
    private static let mostThreads = 16

    private struct Peer {
        let connection: ServerConnection
        let waker: Waker
        let network: PeerNetwork
        var worker: Worker?
        var isActivated = false
        var isDismissed = false
    }

    private struct State {
        var current: (connection: ServerConnection, candidate: Arbiter.Candidate)?
        var arbiter: Arbiter
        /// Connections in order of their arrival.
        var peers: [Peer] = []
        /// Clock of the last server that had a role.
        var clock: SessionClock?

        func index(of connection: ServerConnection) -> Int? { peers.firstIndex { $0.connection === connection } }

        mutating func dismiss(_ connection: ServerConnection) {
            if let index = index(of: connection) { peers[index].isDismissed = true }
        }
    }

    private let link: any ServerLink
    private let listener: WebSocketListener
    private let state: Mutex<State>

    /// Listens at the address; `run` accepts the connections.
    init(_ link: any ServerLink, _ address: WebSocketAddress) throws(ElementError) {
        self.link = link
        do throws(WebSocketError) {
            listener = try WebSocketListener(
                at: address, connectionLimits: .sendspin(.encrypted), waker: link.core.waker)
        } catch {
            throw .resource(.openRead, "\(error)")
        }
        state = Mutex(State(arbiter: Arbiter(lastPlaybackServer: link.core.profile.lastPlaybackServer)))
        // The application may read the address as soon as the state change ends.
        link.core.report.listens(at: listener.address.description)
    }

    /// Accepts connections until the link is stopped, or shares the connection of a player.
    func run() {
        // A loopback address is not published, because other hosts cannot connect to it.
        let publisher = listener.address.isLoopback ? nil : publish(listener.address)
        accept()
        publisher?.stop()
        // This must precede `close`, because the next run may then listen at the same address.
        link.core.report.listensNoMore(at: listener.address.description)
        listener.close()
        for peer in state.withLock({ $0.peers }) {
            peer.waker.cancel()
            peer.worker?.join()
        }
    }

    private func accept() {
        while !link.core.mustEnd {
            switch listener.accept(until: nil) {
            case .connection(let socket):
                // A socket that is not served is released here, which closes it without waiting for the peer.
                if makeRoom(for: socket.network) { serve(socket) }
            case .timeout, .woken: continue
            case .cancelled: return
            }
        }
    }

    private func publish(_ address: WebSocketAddress) -> ServicePublisher {
        let name = link.core.profile.name
        return ServicePublisher(
            name: name, type: Self.type, port: address.port, text: ["path": address.path, "name": name]
        ) { [link] event in
            guard case .failed(let error) = event else { return }
            link.onNetworkThread { link.core.host.post(warning: .resource(.failed, "\(error)")) }
        }
    }

    // MARK: Connections

    /// Dismisses a connection without an activation if there are too many; returns whether a new one has room.
    ///
    /// If half of the threads are in use, dismissed connections no longer wait for their peers.
    private func makeRoom(for network: PeerNetwork) -> Bool {
        let (hasRoom, ended) = state.withLock { state -> (Bool, [Waker]) in
            let isCrowded = state.peers.count >= Self.mostThreads / 2
            let dismissed = isCrowded ? state.peers.filter(\.isDismissed).map(\.waker) : []
            guard state.peers.count < Self.mostThreads else { return (false, dismissed) }
            guard state.peers.count(where: { !$0.isDismissed }) >= Self.mostConnections else {
                return (true, dismissed)
            }
            let waiting = state.peers.indices.filter { !state.peers[$0].isActivated && !state.peers[$0].isDismissed }
            guard let place = PeerNetwork.evicted(from: waiting.map { state.peers[$0].network }, for: network) else {
                return (false, dismissed)
            }
            state.peers[waiting[place]].isDismissed = true
            return (true, dismissed + [state.peers[waiting[place]].waker])
        }
        for waker in ended { waker.cancel() }
        return hasRoom
    }

    private func serve(_ socket: WebSocket) {
        let connection = ServerConnection(link, socket) { [weak self] in self?.judge($0, $1) }
        let clock = state.withLock { state in
            state.peers.append(Peer(connection: connection, waker: socket.waker, network: socket.network))
            return state.clock
        }
        let worker = Worker.start("sendspin-server") { [self] in
            link.onNetworkThread { ended(connection, connection.run(.encrypted, clock: clock)) }
            state.withLock { state in state.peers.removeAll { $0.connection === connection } }
        }
        state.withLock { state in
            // A short connection may already have ended.
            guard let index = state.index(of: connection) else { return }
            if let worker { state.peers[index].worker = worker } else { state.peers.remove(at: index) }
        }
    }

    /// Decides which server plays, at an activation, on the thread of its connection.
    private func judge(_ connection: ServerConnection, _ candidate: Arbiter.Candidate) {
        let (verdict, displaced, isNew) = state.withLock { state in
            if state.current?.connection === connection {
                state.current?.candidate = candidate
                return (Arbiter.Verdict.admit, ServerConnection?.none, state.arbiter.note(candidate))
            }
            guard let index = state.index(of: connection), !state.peers[index].isDismissed else {
                return (.reject, nil, false)
            }
            state.peers[index].isActivated = true
            let verdict = state.arbiter.judge(candidate, against: state.current?.candidate)
            guard verdict == .admit, link.takesStep(isAuthenticated: candidate.isAuthenticated) else {
                state.peers[index].isDismissed = true
                return (.reject, nil, false)
            }
            let displaced = state.current?.connection
            if let displaced { state.dismiss(displaced) }
            state.current = (connection, candidate)
            // The exchange is under the mutex, so that the last decision applies.
            link.exchange(connection)
            return (verdict, displaced, state.arbiter.note(candidate))
        }
        if isNew { link.core.profile.setLastPlaybackServer(candidate.serverID) }
        displaced?.give(.dismiss(.displaced))
        connection.give(verdict == .admit ? .admit : .dismiss(.rejected))
    }

    private func ended(_ connection: ServerConnection, _ outcome: ServerConnection.Outcome) {
        state.withLock { state in
            state.clock = outcome.clock ?? state.clock
            link.release(connection)
            if state.current?.connection === connection { state.current = nil }
        }
        link.serverLost(outcome.failure, of: connection)
    }
}

extension WebSocketAddress {
    /// Whether the numeric address is a loopback address.
    fileprivate var isLoopback: Bool { host.hasPrefix("127.") || host.hasPrefix("::ffff:127.") || host == "::1" }
}
