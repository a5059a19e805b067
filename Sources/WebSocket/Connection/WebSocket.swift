import Glibc
public import Sockets
import Threads

/// A message connection (RFC 6455) over TCP, from a client or from a listener.
///
/// One thread at a time drives it; only its waker may be used on other threads. No method raises SIGPIPE, and no main
/// loop is required.
public final class WebSocket: @unchecked Sendable {  // One thread at a time drives it; the waker is thread-safe.
    static let bufferSize = 1 << 16

    /// Ends a wait from another thread.
    public let waker: Waker
    /// Numeric address and port of the peer, for messages to the user.
    public let peer: String
    /// Network of the peer.
    public let network: PeerNetwork

    private let socket: StreamSocket
    private var endpoint: WebSocketEndpoint
    private var buffer = [UInt8](repeating: 0, count: bufferSize)
    /// Received bytes of `buffer` that are not parsed yet.
    private var unread = 0..<0
    /// Time directly after the last read.
    private var arrivedAt: Duration
    private var hasEndedSending = false
    /// Reason why nothing can be sent; bytes that the peer has sent are still read.
    private var sendFailure: String?

    /// Connects to a server; blocks until success, failure, or cancellation of the waker.
    public static func connect(
        to address: WebSocketAddress, limits: WebSocketLimits = WebSocketLimits(), waker: Waker
    ) throws(WebSocketError) -> WebSocket {
        let (socket, rest) = try Connector(address, limits, waker).connect()
        return WebSocket(socket, role: .client, limits: limits, unread: rest, waker: waker)
    }

    init(
        _ socket: StreamSocket, role: WebSocketRole, limits: WebSocketLimits, unread rest: ArraySlice<UInt8>,
        waker: Waker
    ) {
        self.socket = socket
        self.waker = waker
        peer = socket.peer.map { WebSocketAddress(host: $0.host, port: $0.port).authority } ?? ""
        network = socket.network
        arrivedAt = MonotonicClock.now
        endpoint = WebSocketEndpoint(role: role, limits: limits, at: arrivedAt) {
            var generator = SystemRandomNumberGenerator()
            return generator.next()
        }
        buffer.replaceSubrange(0..<rest.count, with: rest)
        unread = 0..<rest.count
    }

    /// Number of bytes that wait to be sent.
    public var unsentBytes: Int { endpoint.unsent.count }

    /// How the connection has ended; nil while it is open.
    public var closure: WebSocketClosure? { endpoint.closure }

    /// Waits for a message until a time of `MonotonicClock`, and sends waiting bytes meanwhile.
    ///
    /// Without a deadline, it waits for an event. Pings are sent and answered only during this method, so call it every
    /// few seconds. It reads at most 64 KiB beyond the returned message.
    public func wait(until deadline: Duration?) -> WebSocketEvent {
        var isOver = false
        while true {
            if let closure {
                socket.close()
                return .closed(closure)
            }
            switch waker.take() {
            case .woken: return .woken
            case .cancelled: return .cancelled
            case nil: break
            }
            if let message = nextMessage() { return .message(message, arrivedAt: arrivedAt) }
            if closure != nil { continue }
            if isOver { return .timeout }
            step(until: deadline, waker: waker)
            isOver = deadline.map { MonotonicClock.now >= $0 } ?? false
        }
    }

    /// Sends a message as far as the socket accepts it, without blocking; `wait` sends the rest.
    ///
    /// False if the connection has ended. It also ends if the peer does not read and `unsentBytes` exceeds its limit.
    @discardableResult
    public func send(_ message: WebSocketMessage) -> Bool {
        let isSent = endpoint.send(message, at: MonotonicClock.now)
        sendNow()
        return isSent
    }

    /// Sends waiting bytes until a time of `MonotonicClock` or cancellation of the waker; true if none are left.
    @discardableResult
    public func flush(until deadline: Duration) -> Bool {
        while closure == nil, unsentBytes > 0, MonotonicClock.now < deadline, !waker.isCancelled {
            step(until: deadline, waker: waker)
        }
        return unsentBytes == 0 && closure == nil
    }

    /// Sends a close frame, and waits for the peer's close frame for at most `WebSocketLimits.closeTime`.
    ///
    /// Incoming messages are discarded. A cancellation of the waker ends the wait. Without this call, the last release
    /// ends the connection without a close frame.
    public func close(_ code: CloseCode = .normal, reason: String = "") {
        endpoint.close(code, reason: reason, at: MonotonicClock.now)
        // If the waker was cancelled before, the peer still has its time.
        let interrupts = waker.isCancelled ? nil : waker
        while closure == nil, interrupts?.isCancelled != true {
            while nextMessage() != nil {}
            step(until: nil, waker: interrupts)
        }
        socket.close()
    }

    private func nextMessage() -> WebSocketMessage? {
        guard !unread.isEmpty else { return nil }
        var input = buffer[unread]
        let message = endpoint.receive(&input, at: arrivedAt)
        unread = input.startIndex..<unread.upperBound
        return message
    }

    /// Waits once for the socket, sends, receives, and checks the timeouts of the connection.
    private func step(until deadline: Duration?, waker: Waker?) {
        sendNow()
        let end = deadline.map { min($0, endpoint.deadline) } ?? endpoint.deadline
        var events = unread.isEmpty ? POLLIN : 0
        if unsentBytes > 0, sendFailure == nil { events |= POLLOUT }
        // `poll` ignores a negative descriptor.
        var descriptors = [
            pollfd(fd: socket.descriptor, events: Int16(events), revents: 0), pollfd.input(waker?.descriptor ?? -1),
        ]
        Readiness.wait(for: &descriptors, until: end)
        if unread.isEmpty, descriptors[0].canRead { receive() }
        if descriptors[0].canWrite { sendNow() }
        if descriptors[1].canRead { waker?.clear() }
        // While bytes of the peer are not parsed, it is not silent.
        if !unread.isEmpty { endpoint.bytesArrived(at: MonotonicClock.now) }
        endpoint.advance(to: MonotonicClock.now)
    }

    private func receive() {
        do {
            let count = try socket.receive(into: &buffer)
            arrivedAt = MonotonicClock.now
            guard count > 0 else { return endpoint.peerEnded() }
            unread = 0..<count
        } catch {
            if !error.isPending { endpoint.fail(sendFailure ?? error.reason) }
        }
    }

    private func sendNow() {
        guard closure == nil, sendFailure == nil else { return }
        do {
            while unsentBytes > 0 {
                let count = try socket.send(endpoint.unsent)
                endpoint.didSend(count, at: MonotonicClock.now)
            }
        } catch {
            if !error.isPending { sendFailure = error.reason }
        }
        guard endpoint.shallEndSending, !hasEndedSending else { return }
        hasEndedSending = true
        socket.endSending()
    }
}

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
            // An address that does not respond must leave time for the next ones.
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

    /// Converts system errors to `cannotConnect`, or to `refused` after the connection.
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

/// Result of `WebSocket.wait`.
public enum WebSocketEvent: Sendable, Equatable {
    /// A message; `arrivedAt` is the time of `MonotonicClock` directly after the last read.
    case message(WebSocketMessage, arrivedAt: Duration)
    /// The connection has ended; later waits return the same.
    case closed(WebSocketClosure)
    /// The deadline has passed.
    case timeout
    /// `Waker.wake` was called.
    case woken
    /// `Waker.cancel` was called; the connection remains open until `close`.
    case cancelled
}
