import CSystem
import Glibc
import Sockets
import Threads

/// Establishes a client connection: resolves the name, connects, and requests the upgrade.
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

    /// Returns a connected socket, and the bytes after the HTTP head.
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

    private func firstConnection(of addresses: [String]) throws(WebSocketError) -> StreamSocket {
        var failure: WebSocketError?
        for (index, candidate) in addresses.enumerated() {
            // An address that does not respond must leave time for the next addresses.
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

    private func connection(to candidate: String, until end: Duration) throws(WebSocketError) -> StreamSocket {
        let socket = try attempt { () throws(SocketFailure) in
            try StreamSocket(connectingTo: candidate, port: address.port)
        }
        try waitUntilReady(socket, POLLOUT, until: end)
        try attempt { () throws(SocketFailure) in try socket.checkConnection() }
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

    /// Receives the response; returns the bytes after it.
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
                guard let head = try reader.nextForUpgrade(&input) else { continue }
                try UpgradeResponse.check(head, accept: request.key.accept)
                return input
            } catch {
                throw .refused(address, reason: error.reason)
            }
        }
    }

    /// Converts system errors to `cannotConnect`, or to `refused` if `isConnected`.
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

/// Resolves a host name on its own thread, so that the caller can cancel at any time.
///
/// The thread ends when the system's resolver returns, even if the caller has stopped waiting before.
private final class HostLookup: Sendable {
    private enum Outcome {
        /// Numeric addresses; a link-local IPv6 address can have a zone.
        case addresses([String])
        case failed(String)
    }

    /// Number of names that are being resolved; the resolver may block each thread for a minute.
    private static let running = PerProcess { Monitor(0, conditions: 0) }
    private static let mostRunning = 16

    private let outcome = Monitor(Outcome?.none, conditions: 0)
    private let done: Waker

    private init() throws(WebSocketError) {
        do throws(SocketFailure) { done = try Waker() } catch { throw .noResources(reason: error.reason) }
    }

    /// Returns the numeric addresses of a host in the system's order of preference.
    static func addresses(
        of address: WebSocketAddress, until deadline: Duration, limits: Duration, waker: Waker
    ) throws(WebSocketError) -> [String] {
        if case .addresses(let numeric) = resolve(address.host, flags: AI_NUMERICHOST) { return numeric }
        let (lookup, running) = (try HostLookup(), running.value)
        let mayRun = running.change { count in
            count += 1
            return count <= mostRunning
        }
        let thread =
            mayRun
            ? Worker.start("ws-resolve") {
                csockets_block_signals()
                // With AI_ADDRCONFIG, the resolver uses only families of which this machine has an address. Loopback
                // addresses do not count, so `localhost` is resolved without the flag.
                let result = resolve(address.host, flags: address.host == "localhost" ? 0 : AI_ADDRCONFIG)
                lookup.outcome.change { $0 = result }
                running.change { $0 -= 1 }
                lookup.done.wake()
            } : nil
        guard thread != nil else {
            running.change { $0 -= 1 }
            throw .noResources(reason: mayRun ? "the system starts no thread" : "16 names are being resolved")
        }
        while true {
            if waker.isCancelled { throw .cancelled }
            switch lookup.outcome.change({ $0 }) {
            case .addresses(let addresses): return addresses
            case .failed(let reason): throw .cannotResolve(address, reason: reason)
            case nil: break
            }
            if MonotonicClock.now >= deadline { throw .timedOut(address, after: limits) }
            var descriptors = [pollfd.input(waker.descriptor), pollfd.input(lookup.done.descriptor)]
            Readiness.wait(for: &descriptors, until: deadline)
            waker.clear()
        }
    }

    private static func resolve(_ host: String, flags: CInt) -> Outcome {
        var hints = addrinfo()
        hints.ai_flags = flags
        hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, nil, &hints, &list)
        guard status == 0 else { return .failed(String(cString: gai_strerror(status))) }
        defer { freeaddrinfo(list) }
        var addresses: [String] = []
        var next = list
        while let item = next {
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            let length = socklen_t(text.count)
            if getnameinfo(item.pointee.ai_addr, item.pointee.ai_addrlen, &text, length, nil, 0, NI_NUMERICHOST) == 0 {
                addresses.append(SocketFailure.text(text))
            }
            next = item.pointee.ai_next
        }
        return addresses.isEmpty ? .failed("the name has no address") : .addresses(addresses)
    }
}
