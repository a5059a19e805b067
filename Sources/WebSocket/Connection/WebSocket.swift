import Glibc
public import Sockets
import Threads

/// A message connection (RFC 6455) over TCP, from a client or from a listener.
///
/// One thread at a time may call its methods; other threads may use only its waker. No method raises SIGPIPE, and no
/// main loop is required.
public final class WebSocket: @unchecked Sendable {  // One thread at a time calls methods; the waker is thread-safe.
    static let bufferSize = 1 << 16

    /// Ends a call of `wait` from another thread.
    public let waker: Waker
    /// Numeric address and port of the peer, for messages to the user.
    public let peer: String
    /// Network of the peer.
    public let network: PeerNetwork

    /// Time of `MonotonicClock` before which `wait` does not read, so that one read takes several messages.
    ///
    /// A stream that fills more than half of the buffer at a time is read at once, so that its speed has no limit.
    public var readTime = Duration.zero

    private let socket: StreamSocket
    private var endpoint: WebSocketEndpoint
    private var buffer = [UInt8](repeating: 0, count: bufferSize)
    /// Received bytes of `buffer` that are not parsed yet.
    private var unread = 0..<0
    /// Number of bytes of the last read.
    private var lastCount = 0
    /// Time directly after the last read.
    private var arrivedAt: Duration
    private var hasEndedSending = false
    /// Reason why nothing can be sent, after which bytes of the peer are still read; nil while sending is possible.
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
    /// Returns false if the connection has ended. It ends if the peer reads too slowly for the limit of `unsentBytes`.
    @discardableResult
    public func send(_ message: WebSocketMessage) -> Bool {
        let isSent = endpoint.send(message, at: MonotonicClock.now)
        sendNow()
        return isSent
    }

    /// Sends waiting bytes until a time of `MonotonicClock` or cancellation of the waker; true if all were sent.
    @discardableResult
    public func flush(until deadline: Duration) -> Bool {
        while closure == nil, unsentBytes > 0, MonotonicClock.now < deadline, !waker.isCancelled {
            step(until: deadline, waker: waker)
        }
        return unsentBytes == 0 && closure == nil
    }

    /// Sends a close frame, and waits for the peer's close frame for at most `WebSocketLimits.closeTime`.
    ///
    /// Incoming messages are discarded. A cancellation of the waker during the call ends the wait. Without this call,
    /// the release of the last reference ends the connection without a close frame.
    public func close(_ code: CloseCode = .normal, reason: String = "") {
        endpoint.close(code, reason: reason, at: MonotonicClock.now)
        // If the waker was cancelled before the call, the peer still has `closeTime` to answer.
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
        let isEarly = lastCount <= buffer.count / 2 && MonotonicClock.now < readTime
        let end = [deadline, endpoint.deadline, isEarly ? readTime : nil].compactMap { $0 }.min()
        var events = unread.isEmpty && !isEarly ? POLLIN : 0
        if unsentBytes > 0, sendFailure == nil { events |= POLLOUT }
        // `poll` ignores a negative descriptor.
        var descriptors = [
            pollfd(fd: socket.descriptor, events: Int16(events), revents: 0), pollfd.input(waker?.descriptor ?? -1),
        ]
        Readiness.wait(for: &descriptors, until: end)
        if unread.isEmpty, descriptors[0].canRead || (isEarly && MonotonicClock.now >= readTime) { receive() }
        if descriptors[0].canWrite { sendNow() }
        if descriptors[1].canRead { waker?.clear() }
        // A peer does not count as silent while this side has unparsed bytes of the peer.
        if !unread.isEmpty { endpoint.bytesArrived(at: MonotonicClock.now) }
        endpoint.advance(to: MonotonicClock.now)
    }

    private func receive() {
        do {
            let count = try socket.receive(into: &buffer)
            arrivedAt = MonotonicClock.now
            guard count > 0 else { return endpoint.peerEnded() }
            unread = 0..<count
            lastCount = count
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

/// Result of `WebSocket.wait`.
public enum WebSocketEvent: Sendable, Equatable {
    /// A message; `arrivedAt` is the time of `MonotonicClock` directly after the last read.
    case message(WebSocketMessage, arrivedAt: Duration)
    /// The connection has ended; later calls of `wait` return the same event.
    case closed(WebSocketClosure)
    /// The deadline has passed.
    case timeout
    /// `Waker.wake` was called.
    case woken
    /// `Waker.cancel` was called; the connection remains open until `close`.
    case cancelled
}
