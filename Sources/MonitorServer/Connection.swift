import Glibc

/// One client: receives its request, sends the answer, and follows events if it asked for them.
///
/// The server's thread owns it. No method blocks.
struct Connection {
    let socket: CInt
    /// The network of the client, as `csockets_accept` returns it.
    let network: UInt64
    private(set) var phase: Phase

    /// The state of the connection, with what is true in it.
    enum Phase {
        /// The request is incomplete.
        case receiving(RequestHead, since: Duration)
        /// An answer is on its way.
        case answering(Outgoing, isStream: Bool)
        /// The client follows events; `outgoing` is nil between two of them.
        case streaming(Outgoing?, since: Duration)
        /// The answer has left; closing now would discard it if unread bytes have arrived.
        case finishing(since: Duration, discarded: Int)
        /// The socket is to be closed.
        case over
    }

    init(socket: CInt, network: UInt64, limits: ServerLimits, now: Duration) {
        self.socket = socket
        self.network = network
        phase = .receiving(RequestHead(limit: limits.requestBytes), since: now)
    }

    /// Whether the client follows events, or is about to.
    var isStream: Bool {
        switch phase {
        case .streaming, .answering(_, isStream: true): true
        default: false
        }
    }

    /// Whether the connection has ended.
    var isOver: Bool { if case .over = phase { true } else { false } }

    /// Whether the answer has left.
    var isFinishing: Bool { if case .finishing = phase { true } else { false } }

    /// Whether the client has not received all of its answer.
    var isActive: Bool { !isOver && !isFinishing }

    /// Whether the request is incomplete.
    var isReceiving: Bool { if case .receiving = phase { true } else { false } }

    /// The events of the socket that `poll` waits for.
    var interest: Int16 {
        switch phase {
        case .answering: Int16(POLLOUT)
        case .streaming(let outgoing, _): Int16(outgoing == nil ? POLLIN : POLLIN | POLLOUT)
        default: Int16(POLLIN)
        }
    }

    /// Time of the next call of `expire`.
    func deadline(_ limits: ServerLimits) -> Duration {
        switch phase {
        case .receiving(_, let since): since + limits.requestTime
        case .answering(let outgoing, _): outgoing.deadline(limits)
        case .streaming(let outgoing, let since): outgoing?.deadline(limits) ?? (since + limits.heartbeat)
        case .finishing(let since, _): since + limits.closeTime
        case .over: .zero
        }
    }

    /// Ends a phase that has taken too long, or sends the comment of an idle stream.
    mutating func expire(now: Duration) {
        switch phase {
        case .receiving: answer(HTTPResponse(.requestTimeout, "The request did not arrive in time."), now: now)
        case .streaming(nil, _):
            phase = .streaming(Outgoing([EventStream.comment], now: now), since: now)
            flush(now: now)
        default: phase = .over
        }
    }

    /// Ends the connection at once.
    mutating func end() { phase = .over }

    /// Takes an event if the one before it has left; otherwise the client misses it.
    mutating func offer(_ event: [UInt8], now: Duration) {
        guard case .streaming(nil, _) = phase else { return }
        phase = .streaming(Outgoing([event], now: now), since: now)
        flush(now: now)
    }

    /// Begins to send an answer; a stream goes on with events behind it.
    mutating func answer(_ response: HTTPResponse, hasBody: Bool = true, isStream: Bool = false, now: Duration) {
        let head = response.head(length: isStream ? nil : response.body.count)
        phase = .answering(Outgoing(hasBody ? [head, response.body] : [head], now: now), isStream: isStream && hasBody)
        flush(now: now)
    }

    /// Sends what waits to be sent.
    mutating func flush(now: Duration) {
        switch phase {
        case .answering(var outgoing, let isStream):
            switch outgoing.send(to: socket, now: now) {
            case .waiting: phase = .answering(outgoing, isStream: isStream)
            case .failed: phase = .over
            case .complete where isStream: phase = .streaming(nil, since: now)
            case .complete:
                shutdown(socket, CInt(SHUT_WR))
                phase = .finishing(since: now, discarded: 0)
            }
        case .streaming(.some(var outgoing), let since):
            switch outgoing.send(to: socket, now: now) {
            case .waiting: phase = .streaming(outgoing, since: since)
            case .failed: phase = .over
            case .complete: phase = .streaming(nil, since: now)
            }
        default: break
        }
    }

    /// Reads what has arrived; returns the head of the request when it is complete.
    mutating func receive(into buffer: inout [UInt8], limits: ServerLimits, now: Duration) -> [UInt8]? {
        let count = unsafe buffer.withUnsafeMutableBytes { unsafe recv(socket, $0.baseAddress, $0.count, 0) }
        if count < 0, errno == EAGAIN || errno == EINTR { return nil }
        guard count > 0 else {
            phase = .over
            return nil
        }
        switch phase {
        case .receiving(var head, let since):
            switch head.append(buffer[..<count]) {
            case .incomplete: phase = .receiving(head, since: since)
            case .complete(let bytes): return bytes
            case .tooLarge:
                let limit = "The request line and the headers may have \(limits.requestBytes) bytes."
                answer(HTTPResponse(.tooLarge, limit), now: now)
            }
        case .finishing(let since, let discarded) where discarded + count <= limits.discardedBytes:
            phase = .finishing(since: since, discarded: discarded + count)
        // A client that follows events has nothing to send.
        default: phase = .over
        }
        return nil
    }
}
