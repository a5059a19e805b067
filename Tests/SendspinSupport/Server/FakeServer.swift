import Durations
import TestSupport
import SendspinSecurity
import SendspinProtocol
import Sockets
import Threads
import WebSocket

/// A Sendspin server for tests, which runs on threads of the test process.
///
/// The server strictly checks messages of clients, plays signals with recognizable samples, simulates a network and a
/// clock, and can violate the protocol. All methods may be called from any thread.
package final class FakeServer: Sendable {
    let core: FakeServerCore

    /// Listens at a local address; port 0 stands for any free port.
    ///
    /// With nil as port, the server does not listen, and can only dial.
    package init(
        _ settings: PeerSettings = PeerSettings(), keys: ServerKeys = ServerKeys(), port: UInt16? = 0,
        clock: ServerClock = ServerClock(offset: .seconds(1_000))
    ) throws {
        let address = WebSocketAddress(host: "127.0.0.1", port: port ?? 0, path: "/sendspin")
        core = try FakeServerCore(SharedServerState(settings: settings, keys: keys, clock: clock, address: address))
        if port != nil { try listen() }
    }

    deinit { stop() }

    /// Address of the server, with the port in use.
    package var address: WebSocketAddress { core.state.change { $0.address } }

    /// The address as `sendspin://host:port/path`.
    package var uri: String { "sendspin://\(address.authority)\(address.path)" }

    /// Reports of all connections, from the oldest to the newest.
    package var reports: [ClientReport] { core.state.change { $0.links.map(\.report) } }

    /// Report of the newest connection; an empty report before the first connection.
    package var report: ClientReport { reports.last ?? ClientReport() }

    /// Violations on all connections.
    package var violations: [String] { reports.flatMap(\.violations) }

    /// Reasons why the server could not dial or listen.
    package var failures: [String] { core.state.change { $0.failures } }

    /// Number of connections that are open.
    package var openCount: Int { reports.count { $0.closure == nil } }

    /// Identity of the server.
    package var identity: KeyPair { core.state.change { $0.settings.identity } }

    /// Current keys, including those of new pairings.
    package var keys: ServerKeys { core.state.change { $0.keys } }

    /// Current clock.
    package var clock: ServerClock { core.state.change { $0.clock } }

    /// Waits until the reports meet a condition; returns false after `timeout`.
    ///
    /// The condition may call all methods of the server.
    package func wait(_ timeout: Duration = patience, until condition: ([ClientReport]) -> Bool) -> Bool {
        let end = MonotonicClock.now + timeout
        while true {
            let (reports, version) = core.state.change { ($0.links.map(\.report), $0.version) }
            if condition(reports) { return true }
            if MonotonicClock.now >= end { return false }
            core.state.await { state -> Monitor<SharedServerState>.Step<Void> in
                state.version != version || MonotonicClock.now >= end
                    ? .done(()) : .wait(FakeServerCore.changed, until: end)
            }
        }
    }

    /// Connects to a client that listens.
    package func dial(_ client: WebSocketAddress) {
        let core = core
        core.startThread("fake-dial") {
            do {
                core.start(try WebSocket.connect(to: client, waker: try Waker()))
            } catch {
                core.change { $0.failures.append("\(error)") }
            }
        }
    }

    /// Ends all connections and threads, and waits for their end.
    package func stop() {
        let wakers = core.change { state in
            state.isStopped = true
            return state.links.compactMap(\.waker)
        }
        core.listenerWaker.cancel()
        for waker in wakers { waker.cancel() }
        let end = MonotonicClock.now + patience
        core.state.await { state -> Monitor<SharedServerState>.Step<Void> in
            state.threadCount == 0 || MonotonicClock.now >= end ? .done(()) : .wait(FakeServerCore.changed, until: end)
        }
    }

    private func listen() throws {
        let listener = try ListenerLoop.listener(at: address, core)
        core.change { $0.address = listener.address }
        let core = core
        core.startThread("fake-listen") { ListenerLoop(core: core, listener: listener).run() }
    }
}
