/// Drops frames that cannot be decoded because a frame before them was dropped.
///
/// A stream without delta units passes unchanged.
public struct KeyUnitGate: Sendable, Equatable {
    /// Minimum time between two key unit requests, in nanoseconds.
    public static let requestSpacing: UInt64 = 100_000_000
    /// Time without a key unit after which the request is repeated, in nanoseconds.
    public static let answerTime: UInt64 = 1_000_000_000

    /// The stream is raw video or audio.
    ///
    /// The DELTA_UNIT flag is then ignored.
    public var isRaw = false { didSet { if isRaw { reset() } } }
    /// Whether delta units are dropped until the next key unit.
    public private(set) var isWaiting = false
    public private(set) var hasSeenDelta = false
    private var hasAsked = false
    private var lastAskedAt: UInt64?

    public init() {}

    /// A frame arrived at the entrance.
    ///
    /// Returns true if it must be dropped.
    public mutating func frameArrived(isDelta: Bool) -> Bool {
        guard !isRaw else { return false }
        if isDelta {
            hasSeenDelta = true
            return isWaiting
        }
        isWaiting = false
        hasAsked = false
        return false
    }

    /// A frame was dropped, and no key unit arrived after it.
    public mutating func frameDropped(isDelta: Bool) {
        guard !isRaw else { return }
        isWaiting = true
        if isDelta { hasSeenDelta = true }
    }

    /// Whether to request a key unit from upstream now: at the first drop, and again after `answerTime`.
    public mutating func shouldRequest(now: UInt64) -> Bool {
        guard isWaiting, hasSeenDelta else { return false }
        if let lastAskedAt {
            let spacing = hasAsked ? Self.answerTime : Self.requestSpacing
            if now &- lastAskedAt < spacing { return false }
        }
        hasAsked = true
        lastAskedAt = now
        return true
    }

    /// Returns to the initial state, for a new stream or a flush.
    public mutating func reset() {
        isWaiting = false
        hasSeenDelta = false
        hasAsked = false
    }
}
