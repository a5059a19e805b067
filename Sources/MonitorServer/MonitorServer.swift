import CSystem
import Glibc
import Sockets
import Threads

/// A small HTTP server for one page, figures and events, which accepts untrusted clients.
///
/// The server answers GET and HEAD for `/`, `/metrics`, `/stats` and `/events` with the last published content. It
/// reads no file, and closes each connection after the response. One thread serves all clients with non-blocking
/// sockets: a client costs at most a request of 8 KB and a response, and delays no other client. Any thread except that
/// of the server may call the methods.
public final class MonitorServer: Sendable {
    private struct Run: Sendable {
        var waker: Waker
        var thread: Worker
        var address: ServerAddress
    }

    private let limits: ServerLimits
    private let allowedHosts: [String]
    private let content: ServerContent
    private let run = Mutex<Run?>(nil)

    /// Creates a server that does not listen yet; `page` is the body of the response for `/`.
    ///
    /// The server also answers for `allowedHosts`, the result of `HTTPHost.names(in:)`.
    public init(page: [UInt8], limits: ServerLimits = ServerLimits(), allowedHosts: [String] = []) {
        self.limits = limits
        self.allowedHosts = allowedHosts
        content = ServerContent(page: page)
    }

    deinit { stop() }

    /// Listens on an address, and returns this address with the port that is in use.
    ///
    /// A stopped server keeps its content and may be started again.
    @discardableResult
    public func start(_ address: ServerAddress) throws(ServerError) -> ServerAddress {
        try run.withLock { (run) throws(ServerError) in
            guard run == nil else { throw .isRunning }
            let waker: Waker
            do throws(SocketFailure) { waker = try Waker() } catch { throw .noResources(reason: error.reason) }
            let (listener, bound) = try Self.listen(address)
            let hosts = HTTPHost(address: bound, machineName: StreamSocket.hostName, others: allowedHosts)
            let (content, limits) = (content, limits)
            let thread = Worker.start("monitor-http") {
                csockets_block_signals()
                var loop = ServerLoop(listener: listener, waker: waker, content: content, hosts: hosts, limits: limits)
                loop.run()
            }
            guard let thread else { throw ServerError.noResources(reason: "no thread can be started") }
            run = Run(waker: waker, thread: thread, address: bound)
            return bound
        }
    }

    /// Listens on an address, or on one of the next `count` ports if the port is in use.
    ///
    /// If no port can be used, the function throws the error of the first port.
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

    /// Closes all connections and joins the thread, which never waits for a client.
    public func stop() {
        let ended = run.withLock { $0.take() }
        ended?.waker.cancel()
        ended?.thread.join()
    }

    /// Address in use; nil while the server does not run.
    public var address: ServerAddress? { run.withLock { $0?.address } }

    /// Replaces the figures: the Prometheus text, and a snapshot as JSON, which is also sent as an event.
    ///
    /// The call copies the texts, and wakes the thread only if a client receives events.
    public func publish(metrics: String, stats: String) {
        let isFollowed = content.publish(metrics: Array(metrics.utf8), stats: Array(stats.utf8))
        if isFollowed { run.withLock { $0?.waker }?.wake() }
    }

    private static func listen(_ address: ServerAddress) throws(ServerError) -> (StreamSocket, ServerAddress) {
        var bound = address
        do throws(SocketFailure) {
            return (try StreamSocket(listeningAt: address.host, port: &bound.port), bound)
        } catch {
            if error.number == EDESTADDRREQ { throw .badAddress(address) }
            if error.number == EADDRINUSE { throw .portInUse(address, reason: error.reason) }
            throw .cannotListen(address, reason: error.reason)
        }
    }
}

/// Runs on the server's thread: waits for clients, events and deadlines, and never blocks for a client.
private struct ServerLoop {
    private let listener: StreamSocket
    private let waker: Waker
    private let content: ServerContent
    private let hosts: HTTPHost
    private let limits: ServerLimits
    private var connections: [Connection] = []
    private var descriptors: [pollfd] = []
    private var buffer = [UInt8](repeating: 0, count: 2048)
    private var sequence: UInt64 = 0
    // Time before which no client is accepted. If `accept` fails for lack of descriptors, `poll` returns again at once.
    private var acceptsAgain = Duration.zero

    init(listener: StreamSocket, waker: Waker, content: ServerContent, hosts: HTTPHost, limits: ServerLimits) {
        self.listener = listener
        self.waker = waker
        self.content = content
        self.hosts = hosts
        self.limits = limits
    }

    /// Serves until the server is stopped, then closes all sockets.
    mutating func run() {
        while !waker.isCancelled {
            deliver()
            removeEnded()
            wait()
            waker.clear()
            serve()
        }
        connections = []
        listener.close()
    }

    private mutating func removeEnded() { connections.removeAll(where: \.isOver) }

    private mutating func deliver() {
        let event = content.event(isFollowed: connections.contains { $0.isStream })
        guard event.sequence != sequence else { return }
        sequence = event.sequence
        let now = MonotonicClock.now
        for index in connections.indices { connections[index].offer(event.text, now: now) }
    }

    private mutating func wait() {
        let now = MonotonicClock.now
        var deadline: Duration?
        descriptors.removeAll(keepingCapacity: true)
        descriptors.append(.input(waker.descriptor))
        descriptors.append(.input(now >= acceptsAgain ? listener.descriptor : -1))
        if now < acceptsAgain { deadline = acceptsAgain }
        for connection in connections {
            descriptors.append(pollfd(fd: connection.socket.descriptor, events: connection.interest, revents: 0))
            let next = connection.deadline(limits)
            deadline = min(deadline ?? next, next)
        }
        Readiness.wait(for: &descriptors, until: deadline)
    }

    private mutating func serve() {
        let now = MonotonicClock.now
        for index in connections.indices {
            let ready = descriptors[index + 2]
            if ready.canWrite { connections[index].flush(now: now) }
            if ready.canRead { receive(index, now: now) }
            if connections[index].deadline(limits) <= now { connections[index].expire(now: now) }
        }
        if descriptors[1].revents != 0 { accept(now: now) }
    }

    private mutating func receive(_ index: Int, now: Duration) {
        guard let head = connections[index].receive(into: &buffer, limits: limits, now: now) else { return }
        do throws(HTTPRequest.Refusal) {
            answer(try HTTPRequest(head), to: index, now: now)
        } catch {
            connections[index].answer(HTTPResponse(error), now: now)
        }
    }

    private mutating func answer(_ request: HTTPRequest, to index: Int, now: Duration) {
        let hasBody = request.method == .get
        let isStream = request.path == "/events"
        let response: HTTPResponse
        if !hosts.allows(request.host) {
            response = HTTPResponse(
                .misdirected, "This server does not answer for that host; use its address, or set allowed-hosts.")
        } else if isStream, hasBody, !hasStream(for: connections[index].socket.network) {
            response = HTTPResponse(.unavailable, "\(limits.streams) clients follow the events already.")
        } else {
            response =
                content.answer(for: request.path)
                ?? HTTPResponse(.notFound, "There are /, /metrics, /stats and /events.")
        }
        connections[index].answer(
            response, hasBody: hasBody, isStream: isStream && response.status == .ok, now: now)
    }

    /// Whether another client of `network` may receive events; may end a stream to make room.
    private mutating func hasStream(for network: PeerNetwork) -> Bool {
        if connections.count(where: \.isStream) >= limits.streams { makeRoom(for: network) { $0.isStream } }
        return connections.count(where: \.isStream) < limits.streams
    }

    private mutating func accept(now: Duration) {
        // Each call accepts a limited number of clients, so that connected clients are served between two calls.
        for _ in 0..<limits.clients {
            let client: StreamSocket
            do throws(SocketFailure) { client = try listener.accept() } catch {
                if !error.isPending { acceptsAgain = now + .seconds(1) }
                return
            }
            if connections.count(where: \.isActive) >= limits.clients { makeRoom(for: client.network) { $0.isActive } }
            if connections.count >= 2 * limits.clients, let index = oldest({ $0.isFinishing }) {
                connections[index].end()
            }
            removeEnded()
            var connection = Connection(client, now: now)
            if connections.count(where: \.isActive) >= limits.clients {
                connection.answer(
                    HTTPResponse(.unavailable, "\(limits.clients) clients are connected already."), now: now)
            }
            guard connections.count < 2 * limits.clients else { continue }
            connections.append(connection)
            // Most requests have already arrived, so this request is answered before later clients are accepted.
            receive(connections.count - 1, now: now)
        }
    }

    /// Ends a matching connection to make room for a client of `network`, unless no connection may be ended.
    ///
    /// Connections with an incomplete request are ended first, because the request may never arrive. Another network
    /// loses a connection only if it has more connections than `network`.
    private mutating func makeRoom(for network: PeerNetwork, among matches: (Connection) -> Bool) {
        let shares = shares(matches)
        let own = shares[network] ?? 0
        let index =
            oldest {
                let other = $0.socket.network
                return $0.isReceiving && matches($0) && (other == network || shares[other] ?? 0 > own)
            }
            ?? oldest { matches($0) && shares[$0.socket.network] ?? 0 > own + 1 }
        if let index { connections[index].end() }
    }

    /// Index of the oldest matching connection of the network with the most matching connections.
    private func oldest(_ matches: (Connection) -> Bool) -> Int? {
        let shares = shares(matches)
        let most = shares.values.max()
        return connections.firstIndex { matches($0) && shares[$0.socket.network] == most }
    }

    private func shares(_ matches: (Connection) -> Bool) -> [PeerNetwork: Int] {
        connections.reduce(into: [:]) { if matches($1) { $0[$1.socket.network, default: 0] += 1 } }
    }
}
