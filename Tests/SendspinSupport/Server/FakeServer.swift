import Durations
import Patience
import SendspinNoise
import SendspinWire
import Threads
import WebSocketConnection
import WebSocketFraming

/// A Sendspin server for tests, which runs on threads of the test process.
///
/// It checks strictly what clients send, plays signals whose samples can be recognized, simulates a network and a clock,
/// and can misbehave. All methods may be called from any thread.
public final class FakeServer: Sendable {
    let core: FakeServerCore

    /// Listens at a local address; port 0 stands for any free one.
    ///
    /// A server that only dials may pass nil as port.
    public init(
        _ settings: PeerSettings = PeerSettings(), keys: ServerKeys = ServerKeys(), port: UInt16? = 0,
        clock: ServerClock = ServerClock(offset: .seconds(1_000))
    ) throws {
        let address = WebSocketAddress(host: "127.0.0.1", port: port ?? 0, path: "/sendspin")
        core = try FakeServerCore(SharedServerState(settings: settings, keys: keys, clock: clock, address: address))
        if port != nil { try listen() }
    }

    deinit { stop() }

    /// Address of the server, with the port in use.
    public var address: WebSocketAddress { core.state.change { $0.address } }

    /// The address as `sendspin://host:port/path`.
    public var uri: String { "sendspin://\(address.authority)\(address.path)" }

    /// Reports of all connections, the oldest first.
    public var reports: [ClientReport] { core.state.change { $0.links.map(\.report) } }

    /// Report of the newest connection; an empty one before the first.
    public var report: ClientReport { reports.last ?? ClientReport() }

    /// Violations on all connections.
    public var violations: [String] { reports.flatMap(\.violations) }

    /// Reasons why the server could not dial or listen.
    public var failures: [String] { core.state.change { $0.failures } }

    /// Number of connections that are open.
    public var openCount: Int { reports.count { $0.closure == nil } }

    /// Identity of the server.
    public var identity: KeyPair { core.state.change { $0.settings.identity } }

    /// Keys of now, with those of new pairings.
    public var keys: ServerKeys { core.state.change { $0.keys } }

    /// Clock of now.
    public var clock: ServerClock { core.state.change { $0.clock } }

    /// Waits until the reports meet a condition; false after `timeout`.
    ///
    /// The condition may call all methods of the server.
    public func wait(_ timeout: Duration = patience, until condition: ([ClientReport]) -> Bool) -> Bool {
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
    public func dial(_ client: WebSocketAddress) {
        let core = core
        core.startThread("fake-dial") {
            do {
                core.start(try WebSocket.connect(to: client, waker: try Waker()))
            } catch {
                core.change { $0.failures.append("\(error)") }
            }
        }
    }

    /// Ends all connections and threads; returns when they have ended.
    public func stop() {
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
