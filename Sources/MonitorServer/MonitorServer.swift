import CSystem
import Glibc
import Threads

/// A small HTTP server for one page, figures and events, made for untrusted clients.
///
/// It answers GET and HEAD for `/`, `/metrics`, `/stats` and `/events` from what the owner published last, touches no
/// file, and closes each connection after the answer. One thread serves all clients with sockets that do not block, so a
/// client costs at most one request of 8 KB and a reference to a shared answer, and no client delays another. All methods
/// may be called by any thread but the server's own.
public final class MonitorServer: Sendable {
    private struct Run: Sendable {
        var shared: SharedState
        var thread: Worker
        var address: ServerAddress
    }

    private struct State {
        var content: ServerContent
        var run: Run?
    }

    private let limits: ServerLimits
    private let allowedHosts: [String]
    private let state: Mutex<State>

    /// Creates a server that does not listen yet; `page` is the answer for `/`.
    ///
    /// It answers for `allowedHosts` besides its address; `HTTPHost.names(in:)` reads them.
    public init(page: [UInt8], limits: ServerLimits = ServerLimits(), allowedHosts: [String] = []) {
        self.limits = limits
        self.allowedHosts = allowedHosts
        state = Mutex(State(content: ServerContent(page: page)))
    }

    deinit { stop() }

    /// Listens on an address and returns it with the port that was chosen.
    ///
    /// A stopped server may be started again; it keeps what was published.
    @discardableResult
    public func start(_ address: ServerAddress) throws(ServerError) -> ServerAddress {
        try state.withLock { (state) throws(ServerError) in
            guard state.run == nil else { throw .isRunning }
            let shared = try SharedState(state.content)
            let (listener, bound) = try Self.listen(address)
            let hosts = HTTPHost(address: bound, machineName: Self.machineName, others: allowedHosts)
            let limits = limits
            let thread = Worker.start("monitor-http") {
                csockets_block_signals()
                var loop = ServerLoop(listener: listener, shared: shared, hosts: hosts, limits: limits)
                loop.run()
            }
            guard let thread else {
                close(listener)
                throw ServerError.noResources(reason: "no thread can be started")
            }
            state.run = Run(shared: shared, thread: thread, address: bound)
            return bound
        }
    }

    /// Listens on an address, or on one of the next `count` ports if another socket has the port.
    ///
    /// The error is that of the first port.
    @discardableResult
    public func start(_ address: ServerAddress, orNext count: Int) throws(ServerError) -> ServerAddress {
        var first: ServerError?
        for distance in 0...max(0, count) {
            guard let port = UInt16(exactly: Int(address.port) + distance) else { break }
            do throws(ServerError) { return try start(ServerAddress(host: address.host, port: port)) } catch {
                first = first ?? error
                guard case .portInUse = error else { break }
            }
        }
        throw first ?? .badAddress(address)
    }

    /// Closes all connections and waits for the end of the thread, which takes no longer than one answer in memory.
    public func stop() {
        let run = state.withLock { state in
            defer { state.run = nil }
            return state.run
        }
        run?.shared.stop()
        run?.thread.join()
    }

    /// The address in use; nil while the server does not run.
    public var address: ServerAddress? { state.withLock { $0.run?.address } }

    /// Replaces the figures: the Prometheus text, and a snapshot as JSON, which is also sent as an event.
    ///
    /// It copies the texts and wakes the thread only if a client follows the events.
    public func publish(metrics: String, stats: String) {
        let (metrics, stats) = (Array(metrics.utf8), Array(stats.utf8))
        let event = EventStream.event(stats)
        let run = state.withLock { state in
            state.content.publish(metrics: metrics, stats: stats, event: event)
            return state.run
        }
        run?.shared.publish { $0.publish(metrics: metrics, stats: stats, event: event) }
    }

    private static func listen(_ address: ServerAddress) throws(ServerError) -> (CInt, ServerAddress) {
        var port = address.port
        let listener = unsafe csockets_listen(address.host, &port)
        guard listener >= 0 else {
            let number = errno
            if number == EINVAL { throw .badAddress(address) }
            if number == EADDRINUSE { throw .portInUse(address, reason: SystemError.text(number)) }
            throw .cannotListen(address, reason: SystemError.text(number))
        }
        return (listener, ServerAddress(host: address.host, port: port))
    }

    private static var machineName: String {
        var bytes = [CChar](repeating: 0, count: 256)
        guard unsafe gethostname(&bytes, bytes.count - 1) == 0 else { return "" }
        return String(decoding: bytes.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
