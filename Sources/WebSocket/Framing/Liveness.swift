/// Decides when a ping is sent, and when the peer counts as gone.
struct Liveness: Sendable {
    /// The next step.
    enum Action: Sendable, Equatable {
        case nothing
        case ping
        case end(WebSocketClosure)
    }

    private let limits: WebSocketLimits
    private var heardAt: Duration
    /// Time of the ping that nothing has followed.
    private var pingedAt: Duration?
    /// Time when bytes last left, or began to wait.
    private var sentAt: Duration

    init(limits: WebSocketLimits, at now: Duration) {
        self.limits = limits
        heardAt = now
        sentAt = now
    }

    /// Bytes arrived.
    mutating func heard(at now: Duration) {
        heardAt = now
        pingedAt = nil
    }

    /// Bytes left, or began to wait.
    mutating func sent(at now: Duration) { sentAt = now }

    /// Time of the next call of `advance`.
    func deadline(hasUnsent: Bool) -> Duration {
        let silence = pingedAt.map { $0 + limits.pongTime } ?? (heardAt + limits.idleTime)
        return hasUnsent ? min(silence, sentAt + limits.stallTime) : silence
    }

    /// Evaluates the times; `unsent` is the number of bytes that wait to be sent.
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
