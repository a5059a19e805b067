/// One side of a connection without its socket; the owner passes in bytes and times.
///
/// It answers pings and close frames, pings a silent peer, and ends the connection when a limit is exceeded.
public struct WebSocketEndpoint: Sendable {
    enum Phase: Sendable, Equatable {
        case open
        /// A close frame was queued; the peer has not answered it.
        case closing(WebSocketClosure, until: Duration)
        /// Close frames were exchanged, or the peer violated the protocol; the peer should end the TCP connection.
        case lingering(WebSocketClosure, until: Duration)
        /// The owner must close the socket.
        case ended(WebSocketClosure)
    }

    let role: WebSocketRole
    let limits: WebSocketLimits
    private let makeMask: @Sendable () -> UInt32
    private var decoder: FrameDecoder
    private(set) var phase = Phase.open
    private(set) var outgoing = OutgoingBytes()
    private(set) var liveness: Liveness
    /// Payload of the last ping; it is answered when the queue is empty.
    private var owedPong: [UInt8]?

    /// Creates an open connection; `makeMask` returns an unpredictable number.
    public init(
        role: WebSocketRole, limits: WebSocketLimits, at now: Duration, makeMask: @escaping @Sendable () -> UInt32
    ) {
        self.role = role
        self.limits = limits
        self.makeMask = makeMask
        decoder = FrameDecoder(role: role, limit: limits.messageBytes)
        liveness = Liveness(limits: limits, at: now)
    }

    /// How the connection has ended, after which the owner must close the socket; nil before the end.
    public var closure: WebSocketClosure? { if case .ended(let closure) = phase { closure } else { nil } }

    /// Whether the connection is open.
    public var isOpen: Bool { phase == .open }

    /// The queued bytes, which the owner must send.
    public var unsent: ArraySlice<UInt8> { outgoing.unsent }

    /// Whether the owner must shut down the sending direction.
    public var shallEndSending: Bool { if case .lingering = phase { outgoing.count == 0 } else { false } }

    /// Time at which `advance` must be called next.
    public var deadline: Duration {
        switch phase {
        case .open: liveness.deadline(hasUnsent: outgoing.count > 0)
        case .closing(_, let end), .lingering(_, let end): end
        case .ended: .zero
        }
    }

    /// Queues a message; false if the connection is not open, or ends because the queue exceeds its limit.
    public mutating func send(_ message: WebSocketMessage, at now: Duration) -> Bool {
        guard isOpen else { return false }
        let size = FrameEncoder.size(message.bytes.count, isMasked: role == .client)
        guard size <= limits.unsentBytes - outgoing.count else {
            end(.overrun(limit: limits.unsentBytes))
            return false
        }
        switch message {
        case .text(let bytes): queue(.text, bytes, at: now)
        case .binary(let bytes): queue(.binary, bytes, at: now)
        }
        return true
    }

    /// Queues a close frame; the peer must answer within `closeTime`.
    public mutating func close(_ code: CloseCode, reason: String, at now: Duration) {
        guard isOpen else { return }
        queueClose(code, reason, at: now)
        phase = .closing(.byUs(code, reason: reason), until: now + limits.closeTime)
    }

    /// Records that the peer is alive.
    public mutating func bytesArrived(at now: Duration) { liveness.heard(at: now) }

    /// Parses `input` up to a complete message, and removes the parsed bytes; nil if no message is complete.
    ///
    /// Bytes after a close frame or a fault are discarded.
    public mutating func receive(_ input: inout ArraySlice<UInt8>, at now: Duration) -> WebSocketMessage? {
        bytesArrived(at: now)
        while isReceiving {
            do {
                guard let incoming = try decoder.next(&input) else { break }
                if let message = take(incoming, at: now) { return message }
            } catch {
                violate(error.code, error.reason, at: now)
            }
        }
        if !isReceiving { input = input.suffix(0) }
        return nil
    }

    private var isReceiving: Bool {
        switch phase {
        case .open, .closing: true
        case .lingering, .ended: false
        }
    }

    private mutating func take(_ incoming: FrameDecoder.Incoming, at now: Duration) -> WebSocketMessage? {
        switch incoming {
        case .message(let message): return isOpen ? message : nil
        case .ping(let payload):
            if isOpen { owedPong = payload }
            payOwedPong(at: now)
        case .pong: break
        case .close(let code, let reason): peerClosed(code, reason, at: now)
        }
        return nil
    }

    private mutating func peerClosed(_ code: CloseCode, _ reason: String, at now: Duration) {
        if case .closing(let closure, let end) = phase {
            phase = .lingering(closure, until: end)
        } else {
            queueClose(code, "", at: now)
            phase = .lingering(.byPeer(code, reason: reason), until: now + limits.closeTime)
        }
        endIfServerIsDone()
    }

    private mutating func violate(_ code: CloseCode, _ reason: String, at now: Duration) {
        // No frame may follow a close frame.
        if isOpen { queueClose(code, reason, at: now) }
        phase = .lingering(.violation(code, reason: reason), until: now + limits.closeTime)
    }

    /// Removes sent bytes from the queue.
    public mutating func didSend(_ count: Int, at now: Duration) {
        outgoing.remove(count)
        if count > 0 { liveness.sent(at: now) }
        payOwedPong(at: now)
        endIfServerIsDone()
    }

    /// Ends the TCP connection on the server, which should end it before the client does (RFC 6455, section 7.1.1).
    ///
    /// After a violation, the server waits until the peer ends the connection, so that the peer receives the reason.
    private mutating func endIfServerIsDone() {
        guard role == .server, outgoing.count == 0, case .lingering(let closure, _) = phase else { return }
        if case .violation = closure { return }
        end(closure)
    }

    /// Handles the end of the peer's direction of the TCP connection.
    public mutating func peerEnded() {
        switch phase {
        case .open: end(.withoutGoodbye)
        case .closing(let closure, _), .lingering(let closure, _): end(closure)
        case .ended: break
        }
    }

    /// Handles an error of the socket.
    public mutating func fail(_ reason: String) {
        switch phase {
        case .open: end(.lost(reason: reason))
        default: peerEnded()
        }
    }

    /// Queues a ping or ends the connection if a timeout has passed.
    ///
    /// Receive and send before this call, because a peer does not count as silent while its bytes are unread.
    public mutating func advance(to now: Duration) {
        guard now >= deadline else { return }
        switch phase {
        case .open:
            switch liveness.advance(to: now, unsent: outgoing.count) {
            case .nothing: break
            case .ping: queue(.ping, [], at: now)
            case .end(let closure): end(closure)
            }
        case .closing(let closure, _), .lingering(let closure, _): end(closure)
        case .ended: break
        }
    }

    private mutating func end(_ closure: WebSocketClosure) {
        phase = .ended(closure)
        outgoing.removeAll()
        owedPong = nil
    }

    private mutating func payOwedPong(at now: Duration) {
        // Only the last ping is answered, because pongs to a peer that does not read would fill the queue.
        guard outgoing.count == 0, let payload = owedPong else { return }
        owedPong = nil
        queue(.pong, payload, at: now)
    }

    private mutating func queueClose(_ code: CloseCode, _ reason: String, at now: Duration) {
        queue(.close, FrameEncoder.closePayload(code, reason: reason), at: now)
    }

    private mutating func queue(_ opcode: Opcode, _ payload: [UInt8], at now: Duration) {
        if outgoing.count == 0 { liveness.sent(at: now) }
        let mask = role == .client ? MaskKey(value: makeMask()) : nil
        outgoing.append { FrameEncoder.append(opcode, payload, mask: mask, to: &$0) }
    }
}

/// Serializes messages and control frames, one frame each.
enum FrameEncoder {
    /// Number of bytes of a frame with `length` bytes of payload.
    static func size(_ length: Int, isMasked: Bool) -> Int {
        length + (length <= 125 ? 2 : length <= 0xFFFF ? 4 : 10) + (isMasked ? 4 : 0)
    }

    /// Appends a frame; the payload of a control frame has at most 125 bytes.
    static func append(
        _ opcode: Opcode, _ payload: [UInt8], mask: MaskKey?, isFinal: Bool = true, to bytes: inout [UInt8]
    ) {
        FrameHeader(isFinal: isFinal, opcode: opcode, length: payload.count, mask: mask).append(to: &bytes)
        guard let mask else { return bytes.append(contentsOf: payload) }
        for (offset, byte) in payload.enumerated() { bytes.append(byte ^ mask.byte(at: offset)) }
    }

    /// Payload of a close frame; a long reason is cut between Unicode scalars.
    static func closePayload(_ code: CloseCode, reason: String) -> [UInt8] {
        guard code.isValidOnWire else { return [] }
        var payload = [UInt8(truncatingIfNeeded: code.rawValue >> 8), UInt8(truncatingIfNeeded: code.rawValue)]
        for character in reason.unicodeScalars {
            let bytes = Array(String(character).utf8)
            guard payload.count + bytes.count <= FrameHeader.maximumControlLength else { break }
            payload.append(contentsOf: bytes)
        }
        return payload
    }
}

/// Decides when a ping is sent, and when the connection ends because of the peer.
struct Liveness: Sendable {
    enum Action: Sendable, Equatable {
        case nothing
        case ping
        case end(WebSocketClosure)
    }

    private let limits: WebSocketLimits
    private var heardAt: Duration
    /// Time of the last ping; nil if a byte has arrived since then.
    private var pingedAt: Duration?
    /// Time at which bytes were last sent, or queued in an empty queue.
    private var sentAt: Duration

    init(limits: WebSocketLimits, at now: Duration) {
        self.limits = limits
        heardAt = now
        sentAt = now
    }

    mutating func heard(at now: Duration) {
        heardAt = now
        pingedAt = nil
    }

    /// Handles bytes that were sent, or queued in an empty queue.
    mutating func sent(at now: Duration) { sentAt = now }

    func deadline(hasUnsent: Bool) -> Duration {
        let silence = pingedAt.map { $0 + limits.pongTime } ?? (heardAt + limits.idleTime)
        return hasUnsent ? min(silence, sentAt + limits.stallTime) : silence
    }

    /// Checks the timeouts; `unsent` is the number of queued bytes.
    mutating func advance(to now: Duration, unsent: Int) -> Action {
        if unsent > 0, now >= sentAt + limits.stallTime { return .end(.stalled(for: now - sentAt, bytes: unsent)) }
        if let pingedAt {
            return now >= pingedAt + limits.pongTime ? .end(.silent(for: now - heardAt)) : .nothing
        }
        guard now >= heardAt + limits.idleTime else { return .nothing }
        pingedAt = now
        return .ping
    }
}

/// Queue of frames.
struct OutgoingBytes: Sendable {
    private var bytes: [UInt8] = []
    private var sent = 0

    /// Maximum capacity in bytes that an empty queue keeps.
    private static let keptCapacity = 1 << 16

    /// Number of queued bytes.
    var count: Int { bytes.count - sent }
    var heldCapacity: Int { bytes.capacity }
    var unsent: ArraySlice<UInt8> { bytes[sent...] }

    mutating func append(_ write: (inout [UInt8]) -> Void) {
        // Sent bytes are removed, and their memory reused, once they are at least as many as the unsent bytes.
        if sent > 0, sent >= count {
            bytes.removeFirst(sent)
            sent = 0
        }
        write(&bytes)
    }

    mutating func remove(_ count: Int) {
        sent += min(max(count, 0), self.count)
        guard sent == bytes.count else { return }
        sent = 0
        if bytes.capacity > Self.keptCapacity { bytes = [] } else { bytes.removeAll(keepingCapacity: true) }
    }

    mutating func removeAll() { remove(count) }
}
