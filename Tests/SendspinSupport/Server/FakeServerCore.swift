import Sockets
import Threads
import WebSocket

/// State and threads of a fake server.
final class FakeServerCore: Sendable {
    /// Condition that is woken when the report of a connection or the state changes.
    static let changed = 0

    let state: Monitor<SharedServerState>
    /// Wakes or ends the listening thread.
    let listenerWaker: Waker

    init(_ state: SharedServerState) throws(SocketFailure) {
        self.state = Monitor(state, conditions: 1)
        listenerWaker = try Waker()
    }

    /// Changes the state and wakes the threads that wait for a change.
    func change<Result>(_ body: (inout SharedServerState) -> Result) -> Result {
        state.change { now in
            defer { state.mutex.wakeAll() }
            now.version += 1
            return body(&now)
        }
    }

    func takeWork(_ number: Int) -> [@Sendable (FakeConnection) -> Void] {
        state.change { state in
            defer { state.links[number].work = [] }
            return state.links[number].work
        }
    }

    /// Publishes the report and the keys of a connection to other threads.
    func publish(_ peer: FakePeer, _ number: Int) {
        change { state in
            state.links[number].report = peer.report
            guard let id = peer.report.clientID else { return }
            state.keys.longTerm[id] = peer.keys.longTerm[id]
            state.keys.pairing[id] = peer.keys.pairing[id]
        }
    }

    /// Ends a stream that has played to its end.
    func endTimeline(_ generation: Int) {
        change { if $0.timeline.generation == generation { $0.timeline.end() } }
    }

    /// Runs a connection on a new thread.
    func start(_ socket: WebSocket) {
        let number: Int? = change { state in
            guard state.isOnline, !state.isStopped else { return nil }
            state.links.append(SharedServerState.Link(waker: socket.waker))
            return state.links.count - 1
        }
        guard let number else { return }
        startThread("fake-client") { FakeConnection(socket, number: number, core: self).run() }
    }

    /// Starts a thread and counts it until it ends, so that a server can wait for its end.
    func startThread(_ name: String, _ body: @escaping @Sendable () -> Void) {
        change { $0.threadCount += 1 }
        let worker = Worker.start(name) {
            body()
            self.change { $0.threadCount -= 1 }
        }
        if worker == nil { change { $0.threadCount -= 1 } }
    }

    /// Queues work for the open connections.
    func perform(_ work: @escaping @Sendable (FakeConnection) -> Void) {
        let wakers = change { state in
            var wakers: [Waker] = []
            for index in state.links.indices where state.links[index].report.closure == nil {
                state.links[index].work.append(work)
                if let waker = state.links[index].waker { wakers.append(waker) }
            }
            return wakers
        }
        for waker in wakers { waker.wake() }
    }

    /// Wakes the threads of all connections after a change of the shared state.
    func wakeConnections() { perform { _ in } }
}
