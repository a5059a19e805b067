import Glibc
public import Sockets
import Threads

/// Accepts connections at one address and port.
///
/// One thread at a time may call its methods. Accepted connections may have their own threads.
public final class WebSocketListener: @unchecked Sendable {  // One thread at a time calls its methods.
    /// Limits of connections whose HTTP upgrade is incomplete.
    public struct Limits: Sendable {
        /// Maximum number of such connections; at the limit, `PeerNetwork.evicted` selects the one to close.
        public var pending = 8
        /// Time in which an upgrade must complete.
        public var upgradeTime = Duration.seconds(5)

        /// Creates the default limits.
        public init() {}
    }

    /// Result of `accept`.
    public enum Event: Sendable {
        /// A connection with its own waker.
        case connection(WebSocket)
        /// The deadline has passed.
        case timeout
        /// The waker was woken.
        case woken
        /// The waker was cancelled, or the listener was closed.
        case cancelled
    }

    /// The address, with the number of the port that is used.
    public let address: WebSocketAddress

    private let limits: Limits
    private let connectionLimits: WebSocketLimits
    private let waker: Waker
    private var listener: StreamSocket?
    private var pending: [PendingUpgrade] = []
    private var buffer = [UInt8](repeating: 0, count: WebSocket.bufferSize)
    /// Time until which no connection is accepted, because the system has no descriptors.
    private var pausedUntil = Duration.zero

    /// Listens at a numeric address; port 0 selects a free port.
    ///
    /// Only requests for the path of the address are accepted. Requests with an Origin header are refused, because any
    /// web page that the user opens could send them.
    public init(
        at address: WebSocketAddress, limits: Limits = Limits(), connectionLimits: WebSocketLimits = WebSocketLimits(),
        waker: Waker
    ) throws(WebSocketError) {
        guard UpgradeRequest.isValid(path: address.path) else {
            throw .badAddress(address, reason: "the path may have visible ASCII characters only, and begins with /")
        }
        do {
            var bound = address
            listener = try StreamSocket(listeningAt: address.host, port: &bound.port)
            self.address = bound
        } catch {
            throw error.number == EDESTADDRREQ
                ? .badAddress(address, reason: "a listener needs a numeric address, for example 127.0.0.1 or ::1")
                : .cannotListen(address, reason: error.reason)
        }
        self.limits = limits
        self.connectionLimits = connectionLimits
        self.waker = waker
    }

    /// Waits until a time of `MonotonicClock` for a connection with a complete upgrade; upgrades proceed only during
    /// this call.
    public func accept(until deadline: Duration?) -> Event {
        var isOver = false
        while true {
            guard let listener else { return .cancelled }
            switch waker.take() {
            case .woken: return .woken
            case .cancelled: return .cancelled
            case nil: break
            }
            if isOver { return .timeout }
            if let connection = step(listener, until: deadline) { return .connection(connection) }
            isOver = deadline.map { MonotonicClock.now >= $0 } ?? false
        }
    }

    /// Closes the listener and incomplete connections; `accept` then returns `.cancelled`.
    public func close() {
        listener?.close()
        listener = nil
        pending.removeAll()
    }

    private func step(_ listener: StreamSocket, until deadline: Duration?) -> WebSocket? {
        var now = MonotonicClock.now
        let isPaused = now < pausedUntil
        var descriptors = [pollfd.input(waker.descriptor), pollfd.input(isPaused ? -1 : listener.descriptor)]
        descriptors += pending.map { pollfd.input($0.socket.descriptor) }
        let ends = pending.map(\.deadline) + (isPaused ? [pausedUntil] : []) + (deadline.map { [$0] } ?? [])
        Readiness.wait(for: &descriptors, until: ends.min())
        if descriptors[0].canRead { waker.clear() }
        let connection = receive(descriptors[2...])
        now = MonotonicClock.now
        pending.removeAll { now >= $0.deadline }
        if descriptors[1].canRead { acceptPending(listener, now) }
        return connection
    }

    /// Reads from pending connections that are ready, until one upgrade is complete.
    private func receive(_ descriptors: ArraySlice<pollfd>) -> WebSocket? {
        var over: [CInt] = []
        defer { pending.removeAll { over.contains($0.socket.descriptor) } }
        for (index, descriptor) in descriptors.enumerated() where descriptor.canRead {
            switch pending[index].receive(into: &buffer) {
            case .incomplete: continue
            case .over: over.append(descriptor.fd)
            case .complete(let rest):
                over.append(descriptor.fd)
                guard let waker = try? Waker() else { continue }
                let socket = pending[index].socket
                return WebSocket(socket, role: .server, limits: connectionLimits, unread: rest, waker: waker)
            }
        }
        return nil
    }

    private func acceptPending(_ listener: StreamSocket, _ now: Duration) {
        do {
            let socket = try listener.accept()
            let new = PendingUpgrade(socket, path: address.path, deadline: now + limits.upgradeTime)
            if pending.count >= max(limits.pending, 1),
                let index = PeerNetwork.evicted(from: pending.map(\.network), for: new.network)
            {
                pending.remove(at: index)
            }
            pending.append(new)
        } catch {
            // The listener stays readable while the system has no free descriptor: without a pause, this would spin.
            if !error.isPending { pausedUntil = now + .milliseconds(100) }
        }
    }
}

struct PendingUpgrade {
    enum Progress {
        case incomplete
        /// The upgrade is complete; these bytes follow the HTTP head.
        case complete(ArraySlice<UInt8>)
        case over
    }

    let socket: StreamSocket
    let network: PeerNetwork
    /// Time at which the connection ends if the upgrade is still incomplete.
    let deadline: Duration
    private let path: String
    private var reader = HTTPHeadReader()
    /// Whether the request was refused; later bytes are discarded, so that the client reads the response.
    private var isRefused = false

    init(_ socket: StreamSocket, path: String, deadline: Duration) {
        self.socket = socket
        network = socket.network
        self.path = path
        self.deadline = deadline
    }

    mutating func receive(into buffer: inout [UInt8]) -> Progress {
        do {
            let count = try socket.receive(into: &buffer)
            guard count > 0 else { return .over }
            return isRefused ? .incomplete : try evaluate(buffer[..<count])
        } catch {
            return error.isPending ? .incomplete : .over
        }
    }

    private mutating func evaluate(_ bytes: ArraySlice<UInt8>) throws(SocketFailure) -> Progress {
        var input = bytes
        let answer: [UInt8]
        do {
            guard let head = try reader.nextForUpgrade(&input) else { return .incomplete }
            let request = try UpgradeRequest(head)
            try request.check(path: path)
            answer = UpgradeResponse.acceptance(request.key.accept)
        } catch {
            answer = UpgradeResponse.refusal(error)
            isRefused = true
        }
        // The socket has sent nothing before, so it accepts the few bytes at once.
        guard try socket.send(answer[...]) == answer.count else { return .over }
        guard isRefused else { return .complete(input) }
        socket.endSending()
        return .incomplete
    }
}
