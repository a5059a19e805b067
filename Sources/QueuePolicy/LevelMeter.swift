import Durations

/// Level of a queue in frames, bytes and time.
///
/// The time is the end of the last frame that entered minus the end of the last frame that left.
public struct LevelMeter: Sendable, Equatable {
    /// Number of frames in the queue.
    public private(set) var buffers: UInt32 = 0
    /// Size of the queued frames in bytes.
    public private(set) var bytes: UInt64 = 0
    /// Difference between the running times at the entrance and at the exit.
    public private(set) var time = Duration.zero
    private var entranceAt: Duration?
    private var exitAt: Duration?
    /// Start of the first frame; used in place of `exitAt` until a frame leaves.
    private var beganAt: Duration?

    public init() {}

    /// A frame entered.
    public mutating func entered(_ frame: QueuedFrame) {
        buffers &+= frame.count
        bytes &+= frame.bytes
        timePassedEntrance(from: frame.startsAt, to: frame.endsAt)
    }

    /// A frame left or was dropped in the queue.
    public mutating func left(_ frame: QueuedFrame) {
        buffers = buffers >= frame.count ? buffers - frame.count : 0
        bytes = bytes >= frame.bytes ? bytes - frame.bytes : 0
        timePassedExit(to: frame.endsAt)
    }

    /// A frame or a gap entered; `start` and `end` are running times.
    public mutating func timePassedEntrance(from start: Duration?, to end: Duration?) {
        if beganAt == nil { beganAt = start }
        if let end { entranceAt = end }
        update()
    }

    /// A frame or a gap left; `end` is a running time.
    public mutating func timePassedExit(to end: Duration?) {
        if let end { exitAt = end }
        update()
        if buffers == 0 { time = .zero }
    }

    /// Whether the level has reached a limit.
    public func isFull(_ limits: BackpressureLimits) -> Bool {
        (limits.maxBuffers > 0 && buffers >= limits.maxBuffers)
            || (limits.maxBytes > 0 && bytes >= UInt64(limits.maxBytes))
            || (limits.maxTime > .zero && time >= limits.maxTime)
    }

    /// Whether the level is above a limit that is lower than in `before`; a nil `before` has no limits.
    ///
    /// The last frame to enter may exceed a limit of bytes or time, so a level above an unchanged limit is permitted.
    func exceeds(_ limits: BackpressureLimits, loweredFrom before: BackpressureLimits?) -> Bool {
        Self.exceeds(buffers, limits.maxBuffers, loweredFrom: before?.maxBuffers)
            || Self.exceeds(bytes, UInt64(limits.maxBytes), loweredFrom: before.map { UInt64($0.maxBytes) })
            || Self.exceeds(time, limits.maxTime, loweredFrom: before?.maxTime)
    }

    private static func exceeds<Amount: Comparable & AdditiveArithmetic>(
        _ amount: Amount, _ limit: Amount, loweredFrom before: Amount?
    ) -> Bool {
        guard limit > .zero, amount > limit else { return false }
        guard let before, before > .zero else { return true }
        return limit < before
    }

    private mutating func update() {
        guard let entranceAt, let since = exitAt ?? beganAt else {
            time = .zero
            return
        }
        time = max(entranceAt - since, .zero)
    }
}
