import Glibc
import Threads

/// Establishes a connection as a client: resolves the name, connects, and requests the upgrade.
struct Connector {
    let address: WebSocketAddress
    let limits: WebSocketLimits
    let waker: Waker
    private let deadline: Duration

    init(_ address: WebSocketAddress, _ limits: WebSocketLimits, _ waker: Waker) {
        self.address = address
        self.limits = limits
        self.waker = waker
        deadline = MonotonicClock.now + limits.connectTime
    }

    /// A connected socket, and the bytes that arrived behind the HTTP head.
    func connect() throws(WebSocketError) -> (StreamSocket, ArraySlice<UInt8>) {
        guard !address.host.isEmpty, !address.host.utf8.contains(0), address.port > 0 else {
            throw .badAddress(address, reason: "it needs a host and a port from 1 to 65535")
        }
        let zoneless = address.host.utf8.prefix { $0 != UInt8(ascii: "%") }
        let host = WebSocketAddress(host: String(decoding: zoneless, as: UTF8.self), port: address.port)
        guard let request = UpgradeRequest(authority: host.authority, path: address.path, key: .random()) else {
            throw .badAddress(
                address, reason: "host and path may have visible ASCII characters only, and the path begins with /"
            )
        }
        let addresses = try HostLookup.addresses(of: address, until: deadline, limits: limits.connectTime, waker: waker)
        let socket = try firstConnection(of: addresses)
        try send(request, to: socket)
        return (socket, try receiveAnswer(to: request, from: socket))
    }

    private func firstConnection(of addresses: [SocketAddress]) throws(WebSocketError) -> StreamSocket {
        var failure: WebSocketError?
        for (index, candidate) in addresses.enumerated() {
            // An address that does not answer must leave time for the ones behind it.
            let now = MonotonicClock.now
            let share = (deadline - now) / (addresses.count - index)
            do {
                return try connection(to: candidate, until: now + share)
            } catch .cancelled {
                throw .cancelled
            } catch {
                failure = failure ?? error
            }
        }
        throw failure ?? .cannotResolve(address, reason: "the name has no address")
    }

    private func connection(to candidate: SocketAddress, until end: Duration) throws(WebSocketError) -> StreamSocket {
        let socket = try attempt { () throws(SocketFailure) in try StreamSocket(candidate.family) }
        let isConnected = try attempt { () throws(SocketFailure) in try socket.connect(to: candidate) }
        if !isConnected {
            try waitUntilReady(socket, POLLOUT, until: end)
            try attempt { () throws(SocketFailure) in try socket.checkConnection() }
        }
        socket.setNoDelay()
        return socket
    }

    private func send(_ request: UpgradeRequest, to socket: StreamSocket) throws(WebSocketError) {
        var unsent = request.bytes[...]
        while !unsent.isEmpty {
            try waitUntilReady(socket, POLLOUT, until: deadline)
            let count = try attempt(isConnected: true) { () throws(SocketFailure) in try socket.send(unsent) }
            unsent = unsent.dropFirst(count)
        }
    }

    /// Receives the answer to the request; returns the bytes behind it.
    private func receiveAnswer(
        to request: UpgradeRequest, from socket: StreamSocket
    ) throws(WebSocketError) -> ArraySlice<UInt8> {
        var reader = HTTPHeadReader()
        var buffer = [UInt8](repeating: 0, count: WebSocket.bufferSize)
        while true {
            try waitUntilReady(socket, POLLIN, until: deadline)
            let count = try attempt(isConnected: true) { () throws(SocketFailure) in
                try socket.receive(into: &buffer)
            }
            guard count > 0 else {
                throw .refused(address, reason: "the server ended the connection without an answer")
            }
            var input = buffer[..<count]
            do {
                guard let head = try reader.next(&input) else { continue }
                try UpgradeResponse.check(head, accept: request.key.accept)
                return input
            } catch {
                throw .refused(address, reason: error.reason)
            }
        }
    }

    /// Turns errors of the system into one of the address: `cannotConnect`, or `refused` once it is connected.
    private func attempt<Result>(
        isConnected: Bool = false, _ body: () throws(SocketFailure) -> Result
    ) throws(WebSocketError) -> Result {
        do {
            return try body()
        } catch {
            throw isConnected
                ? .refused(address, reason: error.reason) : .cannotConnect(address, reason: error.reason)
        }
    }

    private func waitUntilReady(_ socket: StreamSocket, _ event: CInt, until end: Duration) throws(WebSocketError) {
        while true {
            if waker.isCancelled { throw .cancelled }
            var descriptors = [
                pollfd.input(waker.descriptor), pollfd(fd: socket.descriptor, events: Int16(event), revents: 0),
            ]
            Readiness.wait(for: &descriptors, until: end)
            if descriptors[1].revents != 0 { return }
            if descriptors[0].canRead { waker.clear() }
            if MonotonicClock.now >= end { throw .timedOut(address, after: limits.connectTime) }
        }
    }
}
