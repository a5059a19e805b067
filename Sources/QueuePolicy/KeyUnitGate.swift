import Durations

/// Drops frames that cannot be decoded after a drop; a stream without delta units passes unchanged.
public struct KeyUnitGate: Sendable, Equatable {
    /// Minimum time between requests, so that repeated drops do not make nearly every frame a key unit (promised in
    /// docs/elements/backpressurequeue.md).
    static let requestSpacing = Duration.milliseconds(100)
    /// Time without a key unit after which the request is repeated (promised in docs/elements/backpressurequeue.md).
    public static let answerTime = Duration.seconds(1)

    /// Whether the stream is raw video or audio; the DELTA_UNIT flag is then ignored.
    public var isRaw = false { didSet { if isRaw { reset() } } }
    /// Whether delta units are dropped until the next key unit.
    public private(set) var isWaiting = false
    private(set) var hasSeenDelta = false
    private var hasRequested = false
    private var lastRequestAt: Duration?

    public init() {}

    /// A frame arrived at the entrance; returns true if it must be dropped.
    public mutating func frameArrived(isDelta: Bool) -> Bool {
        guard !isRaw else { return false }
        if isDelta {
            hasSeenDelta = true
            return isWaiting
        }
        isWaiting = false
        hasRequested = false
        return false
    }

    /// A frame was dropped, and no key unit has arrived after it.
    public mutating func frameDropped(isDelta: Bool) {
        guard !isRaw else { return }
        isWaiting = true
        if isDelta { hasSeenDelta = true }
    }

    /// Whether to request a key unit now: after the first drop, and again if none arrives within `answerTime`.
    public mutating func shouldRequest(now: Duration) -> Bool {
        guard isWaiting, hasSeenDelta else { return false }
        if let lastRequestAt {
            let spacing = hasRequested ? Self.answerTime : Self.requestSpacing
            if now - lastRequestAt < spacing { return false }
        }
        hasRequested = true
        lastRequestAt = now
        return true
    }

    /// Returns to the initial state, for a new stream or a flush.
    public mutating func reset() {
        isWaiting = false
        hasSeenDelta = false
        hasRequested = false
    }
}
