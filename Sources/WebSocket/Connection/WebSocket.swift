import Glibc
import Threads

/// A connection that exchanges messages (RFC 6455) over TCP, as a client or as one that a listener accepted.
///
/// One thread at a time drives it: all methods and properties but those of its waker belong to that thread. No method
/// raises SIGPIPE, and no main loop is required.
public final class WebSocket: @unchecked Sendable {  // One thread at a time drives it; the waker is thread-safe.
    static let bufferSize = 1 << 16

    /// Ends a wait from another thread.
    public let waker: Waker
    /// Address and port of the peer, numeric, for messages to the user.
    public let peer: String
    /// Network of the peer.
    public let network: PeerNetwork

    private let socket: StreamSocket
    private var endpoint: WebSocketEndpoint
    private var buffer = [UInt8](repeating: 0, count: bufferSize)
    /// The received bytes of `buffer` that are not evaluated.
    private var unread = 0..<0
    /// Time directly after the last read.
    private var arrivedAt: Duration
    private var hasEndedSending = false
    /// Reason why nothing can be sent; what the peer sent before is still read.
    private var sendFailure: String?

    /// Connects to a server; blocks until the connection is established, has failed, or the waker is cancelled.
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
        peer = socket.peer?.text ?? ""
        network = socket.network
        arrivedAt = MonotonicClock.now
        endpoint = WebSocketEndpoint(role: role, limits: limits, at: arrivedAt) {
            var generator = SystemRandomNumberGenerator()
            return generator.next()
        }
        buffer.replaceSubrange(0..<rest.count, with: rest)
        unread = 0..<rest.count
    }

    /// Bytes that wait to be sent.
    public var unsentBytes: Int { endpoint.unsent.count }

    /// How the connection ended; nil while it is open.
    public var closure: WebSocketClosure? { endpoint.closure }

    /// Waits for a message until the time of `MonotonicClock`; sends meanwhile what waits to be sent.
    ///
    /// Without a deadline it waits for an event. Pings are answered and sent only while this method runs, so call it at
    /// least every few seconds. At most 64 KiB are read ahead of the message that it returns.
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

    /// Sends a message, or the part that the socket takes; `wait` sends the rest.
    ///
    /// It never blocks. False if the connection has ended; it ends if the peer does not read and `unsentBytes` exceeds
    /// its limit.
    @discardableResult
    public func send(_ message: WebSocketMessage) -> Bool {
        let isSent = endpoint.send(message, at: MonotonicClock.now)
        sendNow()
        return isSent
    }

    /// Sends what waits to be sent until the time of `MonotonicClock`; true if nothing is left.
    ///
    /// Cancelling the waker ends it.
    @discardableResult
    public func flush(until deadline: Duration) -> Bool {
        while closure == nil, unsentBytes > 0, MonotonicClock.now < deadline, !waker.isCancelled {
            step(until: deadline, waker: waker)
        }
        return unsentBytes == 0 && closure == nil
    }

    /// Ends the connection with a close frame, for whose answer it waits for at most `WebSocketLimits.closeTime`.
    ///
    /// Messages that arrive meanwhile are discarded. Cancelling the waker meanwhile ends the wait. Releasing the last
    /// reference ends the connection without a close frame.
    public func close(_ code: CloseCode = .normal, reason: String = "") {
        endpoint.close(code, reason: reason, at: MonotonicClock.now)
        // A connection that ends because its waker was cancelled has its time, too.
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

    /// Waits once for the socket, sends and receives, and evaluates the times of the connection.
    private func step(until deadline: Duration?, waker: Waker?) {
        sendNow()
        let end = deadline.map { min($0, endpoint.deadline) } ?? endpoint.deadline
        var events = unread.isEmpty ? POLLIN : 0
        if unsentBytes > 0, sendFailure == nil { events |= POLLOUT }
        // A negative descriptor is ignored.
        var descriptors = [
            pollfd(fd: socket.descriptor, events: Int16(events), revents: 0), pollfd.input(waker?.descriptor ?? -1),
        ]
        Readiness.wait(for: &descriptors, until: end)
        if unread.isEmpty, descriptors[0].canRead { receive() }
        if descriptors[0].canWrite { sendNow() }
        if descriptors[1].canRead { waker?.clear() }
        // The peer is not silent while its bytes are not evaluated.
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
