import Glibc
import Sockets

/// Connection to one client: receives its request, sends the response, and then events if they were requested.
///
/// The thread of the server owns the connection. No method blocks.
struct Connection {
    let socket: StreamSocket
    private(set) var phase: Phase

    enum Phase {
        /// The request is incomplete.
        case receiving(HTTPHeadReader, since: Duration)
        case answering(Outgoing, isStream: Bool)
        /// The client receives events; `outgoing` is nil between two events.
        case streaming(Outgoing?, since: Duration)
        /// The response is sent; closing the socket now would discard it if unread bytes have arrived.
        case finishing(since: Duration, discarded: Int)
        case over
    }

    init(_ socket: StreamSocket, now: Duration) {
        self.socket = socket
        phase = .receiving(HTTPHeadReader(skipsEmptyLines: true), since: now)
    }

    /// Whether the client receives events, or will receive them after the response.
    var isStream: Bool {
        switch phase {
        case .streaming, .answering(_, isStream: true): true
        default: false
        }
    }

    var isOver: Bool { if case .over = phase { true } else { false } }

    var isFinishing: Bool { if case .finishing = phase { true } else { false } }

    /// Whether the request, the response or the stream of events is still in progress.
    var isActive: Bool { !isOver && !isFinishing }

    var isReceiving: Bool { if case .receiving = phase { true } else { false } }

    /// Events of the socket for `poll`.
    var interest: Int16 {
        switch phase {
        case .answering: Int16(POLLOUT)
        case .streaming(let outgoing, _): Int16(outgoing == nil ? POLLIN : POLLIN | POLLOUT)
        default: Int16(POLLIN)
        }
    }

    /// Time at which `expire` must be called.
    func deadline(_ limits: ServerLimits) -> Duration {
        switch phase {
        case .receiving(_, let since): since + limits.requestTime
        case .answering(let outgoing, _): outgoing.deadline(limits)
        case .streaming(let outgoing, let since): outgoing?.deadline(limits) ?? (since + limits.heartbeat)
        case .finishing(let since, _): since + limits.closeTime
        case .over: .zero
        }
    }

    /// Ends a phase after its deadline, or sends a comment if the phase is an idle stream.
    mutating func expire(now: Duration) {
        switch phase {
        case .receiving: answer(HTTPResponse(.requestTimeout, "The request did not arrive in time."), now: now)
        case .streaming(nil, _):
            phase = .streaming(Outgoing([EventStream.comment], now: now), since: now)
            flush(now: now)
        default: phase = .over
        }
    }

    mutating func end() { phase = .over }

    /// Sends an event; the client misses this event if the previous one is not completely sent yet.
    mutating func offer(_ event: [UInt8], now: Duration) {
        guard case .streaming(nil, _) = phase else { return }
        phase = .streaming(Outgoing([event], now: now), since: now)
        flush(now: now)
    }

    /// Begins to send a response; with `isStream`, events follow.
    mutating func answer(_ response: HTTPResponse, hasBody: Bool = true, isStream: Bool = false, now: Duration) {
        let head = response.head(length: isStream ? nil : response.body.count)
        phase = .answering(Outgoing(hasBody ? [head, response.body] : [head], now: now), isStream: isStream && hasBody)
        flush(now: now)
    }

    mutating func flush(now: Duration) {
        switch phase {
        case .answering(var outgoing, let isStream):
            switch outgoing.send(to: socket, now: now) {
            case .waiting: phase = .answering(outgoing, isStream: isStream)
            case .failed: phase = .over
            case .complete where isStream: phase = .streaming(nil, since: now)
            case .complete:
                socket.endSending()
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

    /// Reads the bytes that have arrived; returns the head of the request when it is complete.
    mutating func receive(into buffer: inout [UInt8], limits: ServerLimits, now: Duration) -> HTTPHead? {
        let count: Int
        do throws(SocketFailure) { count = try socket.receive(into: &buffer) } catch {
            if !error.isPending { phase = .over }
            return nil
        }
        guard count > 0 else {
            phase = .over
            return nil
        }
        switch phase {
        case .receiving(var reader, let since):
            // Bytes after the head are ignored, because no request has a body that is read.
            var input = buffer[..<count]
            do throws(HTTPHead.Fault) {
                if let head = try reader.next(&input) { return head }
                phase = .receiving(reader, since: since)
            } catch {
                answer(HTTPResponse(error), now: now)
            }
        case .finishing(let since, let discarded) where discarded + count <= limits.discardedBytes:
            phase = .finishing(since: since, discarded: discarded + count)
        // A client may send up to `discardedBytes` after its request, and nothing while it receives events.
        default: phase = .over
        }
        return nil
    }
}

/// Bytes to send to a client; several clients share the storage of one body.
struct Outgoing {
    private var parts: [[UInt8]]
    private var sent = 0
    /// Time at which sending began, and time at which bytes were last sent.
    private let began: Duration
    private var advanced: Duration

    enum Progress {
        case complete
        case waiting
        case failed
    }

    init(_ parts: [[UInt8]], now: Duration) {
        self.parts = parts.filter { !$0.isEmpty }
        began = now
        advanced = now
    }

    /// Sends as many bytes as the socket accepts without blocking.
    mutating func send(to socket: StreamSocket, now: Duration) -> Progress {
        while let part = parts.first {
            let count: Int
            do throws(SocketFailure) { count = try socket.send(part[sent...]) } catch {
                if error.number == EINTR { continue }
                return error.isPending ? .waiting : .failed
            }
            advanced = now
            sent += count
            if sent >= part.count {
                parts.removeFirst()
                sent = 0
            }
        }
        return .complete
    }

    /// Time at which sending is abandoned if no further bytes are sent.
    func deadline(_ limits: ServerLimits) -> Duration {
        min(advanced + limits.stallTime, began + limits.answerTime)
    }
}
