import CSockets
import Durations
import Glibc
import Threads

/// The work of the server's thread: waits for clients, events and deadlines, and never blocks for a client.
struct ServerLoop {
    private let listener: CInt
    private let shared: SharedState
    private let hosts: HTTPHost
    private let limits: ServerLimits
    private var connections: [Connection] = []
    private var descriptors: [pollfd] = []
    private var buffer = [UInt8](repeating: 0, count: 2048)
    private var sequence: UInt64 = 0
    // After accept failed for want of descriptors, which poll would report again at once.
    private var acceptsAgain = Duration.zero

    init(listener: CInt, shared: SharedState, hosts: HTTPHost, limits: ServerLimits) {
        self.listener = listener
        self.shared = shared
        self.hosts = hosts
        self.limits = limits
    }

    /// Serves until the owner stops the server, then closes every socket.
    mutating func run() {
        while let content = shared.content(followed: connections.contains { $0.isStream }) {
            deliver(content)
            connections.removeAll { connection in
                if connection.isOver { close(connection.socket) }
                return connection.isOver
            }
            wait()
            shared.clearWake()
            serve()
        }
        for connection in connections { close(connection.socket) }
        connections = []
        close(listener)
    }

    private mutating func deliver(_ content: ServerContent) {
        guard content.sequence != sequence else { return }
        sequence = content.sequence
        let now = MonotonicClock.now
        for index in connections.indices { connections[index].offer(content.event, now: now) }
    }

    /// Waits for a descriptor or for the next deadline.
    private mutating func wait() {
        let now = MonotonicClock.now
        var deadline: Duration?
        descriptors.removeAll(keepingCapacity: true)
        descriptors.append(pollfd(fd: shared.wake, events: Int16(POLLIN), revents: 0))
        descriptors.append(pollfd(fd: now >= acceptsAgain ? listener : -1, events: Int16(POLLIN), revents: 0))
        if now < acceptsAgain { deadline = acceptsAgain }
        for connection in connections {
            descriptors.append(pollfd(fd: connection.socket, events: connection.interest, revents: 0))
            let next = connection.deadline(limits)
            deadline = min(deadline ?? next, next)
        }
        unsafe poll(&descriptors, nfds_t(descriptors.count), deadline.map { Self.milliseconds(until: $0, now) } ?? -1)
    }

    /// Whole milliseconds, rounded up: `poll` would return before the deadline otherwise.
    private static func milliseconds(until deadline: Duration, _ now: Duration) -> CInt {
        let remaining = max(.zero, min(deadline - now, .seconds(60)))
        return CInt((UInt64(nanosecondsOf: remaining) + 999_999) / 1_000_000)
    }

    private mutating func serve() {
        let now = MonotonicClock.now
        for index in connections.indices {
            let events = descriptors[index + 2].revents
            if events & Int16(POLLOUT) != 0 { connections[index].flush(now: now) }
            if events & Int16(POLLIN | POLLHUP | POLLERR | POLLNVAL) != 0 { receive(index, now: now) }
            if connections[index].deadline(limits) <= now { connections[index].expire(now: now) }
        }
        if descriptors[1].revents != 0 { accept(now: now) }
    }

    private mutating func receive(_ index: Int, now: Duration) {
        guard let head = connections[index].receive(into: &buffer, limits: limits, now: now) else { return }
        do throws(HTTPRequest.Refusal) {
            answer(try HTTPRequest(head: head), to: index, now: now)
        } catch {
            connections[index].answer(HTTPResponse(error), now: now)
        }
    }

    private mutating func answer(_ request: HTTPRequest, to index: Int, now: Duration) {
        let hasBody = request.method == .get
        let isStream = request.path == "/events"
        let response: HTTPResponse
        if !hosts.allows(request.host) {
            response = HTTPResponse(.misdirected, "This server does not answer for that host; use its address.")
        } else if isStream, hasBody, connections.count(where: { $0.isStream }) >= limits.streams {
            response = HTTPResponse(.unavailable, "\(limits.streams) clients follow the events already.")
        } else {
            response =
                shared.answer(for: request.path)
                ?? HTTPResponse(.notFound, "There are /, /metrics, /stats and /events.")
        }
        connections[index].answer(
            response, hasBody: hasBody, isStream: isStream && response.status == .ok, now: now)
    }

    private mutating func accept(now: Duration) {
        // At most one round of clients, so that those who are there are served in between.
        for _ in 0..<limits.clients {
            let client = csockets_accept(listener)
            guard client >= 0 else {
                if errno != EAGAIN, errno != EINTR, errno != ECONNABORTED { acceptsAgain = now + .seconds(1) }
                return
            }
            if activeClients >= limits.clients { makeRoom(now: now) }
            var connection = Connection(socket: client, limits: limits, now: now)
            if activeClients >= limits.clients {
                connection.answer(
                    HTTPResponse(.unavailable, "\(limits.clients) clients are connected already."), now: now)
            }
            if connections.count < 2 * limits.clients { connections.append(connection) } else { close(client) }
        }
    }

    /// Number of clients that have not received all of their answer.
    private var activeClients: Int { connections.count { !$0.isOver && !$0.isFinishing } }

    /// Ends the oldest connection whose request has been incomplete for long, so that idle clients lock nobody out.
    private mutating func makeRoom(now: Duration) {
        var oldest: (index: Int, since: Duration)?
        for index in connections.indices {
            guard let since = connections[index].receivingSince, now - since >= limits.patience else { continue }
            if oldest.map({ since < $0.since }) ?? true { oldest = (index, since) }
        }
        if let oldest { connections[oldest.index].end() }
    }
}
