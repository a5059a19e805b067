/// Keeps frames back that cannot be decoded since one before them was dropped.
///
/// A stream whose frames all stand for themselves is never kept back.
public struct KeyUnitGate: Sendable, Equatable {
    /// At least this long lies between two requests, in nanoseconds.
    public static let requestSpacing: UInt64 = 100_000_000
    /// After this long without a key unit the request is taken for lost, and made again.
    public static let answerTime: UInt64 = 1_000_000_000

    /// Raw video and audio: flags that say otherwise are not believed.
    public var isRaw = false { didSet { if isRaw { reset() } } }
    /// Whether delta units are dropped until a key unit comes.
    public private(set) var isWaiting = false
    public private(set) var hasSeenDelta = false
    private var hasAsked = false
    private var lastAskedAt: UInt64?

    public init() {}

    /// A frame came to the entrance; true when it must be dropped.
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

    /// A frame was dropped, and no key unit has come after it.
    public mutating func frameDropped(isDelta: Bool) {
        guard !isRaw else { return }
        isWaiting = true
        if isDelta { hasSeenDelta = true }
    }

    /// Whether to ask upstream for a key unit now: as soon as frames are dropped, and again if none comes.
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

    /// The stream begins anew.
    public mutating func reset() {
        isWaiting = false
        hasSeenDelta = false
        hasAsked = false
    }
}
